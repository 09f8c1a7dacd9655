import type { SeenRequest } from './protocol.ts';

/** Figures as our contract counts them: `inputTokens` excludes what the vendor's cache read or wrote. */
export type ScriptedUsage = {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
};

/** Faults of a call on the wire. Each protocol shows the closest equivalent. */
type CallQuirks = {
  /** Null omits the id; two calls may share one. */
  id?: string | null;
  /** The call's index on the wire, if the protocol numbers calls. */
  index?: number;
  /**
   * Argument text sent unchanged, valid JSON or not. A protocol whose arguments are objects gets a string.
   */
  rawArguments?: string;
  /** No argument JSON at all. */
  noArguments?: true;
  /** Arguments complete and as an object, even if the protocol requires text in pieces. */
  objectArguments?: true;
};

export type CallWords = [name: string, input?: unknown, quirks?: CallQuirks];

export type ReplyPart =
  /** `phase`: the label of OpenAI's Responses. */
  | { type: 'text'; text: string; phase?: 'commentary' | 'final_answer' }
  /**
   * `signature` replaces the one that the server would make. `note`: a progress note, which the display `updates`
   * shows; it hides all other thoughts.
   */
  | { type: 'thinking'; text: string; redacted?: true; signature?: string; note?: true }
  | ({ type: 'call'; name: string; input: unknown } & CallQuirks);

export type ScriptedStop = 'end' | 'calls' | 'max_tokens' | 'refusal';

/**
 * Where a stream is interrupted: after this many frames (at most all of them), or `content`, when all content
 * was sent and only the ending is missing. A non-streamed reply is interrupted in its middle.
 */
export type Place = number | 'content';

export type ErrorWords = { message?: string; type?: string; retryAfter?: number };

/** How a reply is sent. */
export type Delivery = {
  firstMs?: number;
  betweenMs?: number;
  keepAlive?: true;
  /** Writes of this many bytes, wherever they fall: inside frames, lines and multi-byte characters. */
  tornBytes?: number;
  /** `break` destroys the socket; `end` closes cleanly without the protocol's final message. */
  cut?: { after: Place; how: 'break' | 'end' };
  stall?: { after: Place };
  error?: { after: Place } & ErrorWords;
  invalidJson?: { after: Place };
};

export type AnswerOptions = {
  /** Null omits the usage from the reply. */
  usage?: Partial<ScriptedUsage> | null;
  stop?: ScriptedStop;
  /**
   * Interleaves the argument pieces of several calls, if the protocol numbers calls (both OpenAI protocols).
   */
  interleave?: true;
  /** Longest piece of text or arguments, in UTF-16 units; 1 also splits surrogate pairs. */
  pieceLength?: number;
};

export type Answer = { type: 'answer'; parts: ReplyPart[]; delivery: Delivery } & AnswerOptions;

export type Reply =
  | Answer
  | { type: 'failure'; status: number; words: ErrorWords }
  | {
      type: 'raw';
      status: number;
      headers: Record<string, string>;
      chunks: (string | Uint8Array)[];
      delivery: Delivery;
    }
  /** Accepts the request and does not answer; after `ms`, if given, the socket is destroyed. */
  | { type: 'hang'; ms?: number };

/** One per model request, in order of arrival. */
export type Step = Reply | ((request: SeenRequest) => Reply | Promise<Reply>);

export function says(text: string, options: AnswerOptions = {}): Answer {
  return { type: 'answer', parts: [{ type: 'text', text }], delivery: {}, ...options };
}

export function calls(...words: CallWords[]): Answer {
  return { type: 'answer', parts: words.map(toCall), delivery: {} };
}

export function both(text: string, ...words: CallWords[]): Answer {
  return { type: 'answer', parts: [{ type: 'text', text }, ...words.map(toCall)], delivery: {} };
}

export function thinks(text: string, reply: Answer): Answer {
  return { ...reply, parts: [{ type: 'thinking', text }, ...reply.parts] };
}

/** Hidden thinking: opaque data on the wire, if the protocol supports it. */
export function thinksSecretly(text: string, reply: Answer): Answer {
  return { ...reply, parts: [{ type: 'thinking', text, redacted: true }, ...reply.parts] };
}

/** The same reply with other usage, ending or pieces. */
export function but(reply: Answer, options: AnswerOptions): Answer {
  return { ...reply, ...options };
}

/** An HTTP error in the vendor's own format. `retryAfter` is in seconds. */
export function fails(status: number, words: ErrorWords = {}): Reply {
  return { type: 'failure', status, words };
}

/** Breaks off. `after: 0` is after the headers. Default: the socket is destroyed. */
export function cuts(
  reply: Answer,
  { after, how = 'break' }: { after: Place; how?: 'break' | 'end' },
): Answer {
  return deliver(reply, { cut: { after, how } });
}

/**
 * The vendor reports an error in the middle of a stream. For Responses, the type `error` selects the bare
 * event.
 */
export function failsMidway(reply: Answer, error: { after: Place } & ErrorWords): Answer {
  return deliver(reply, { error });
}

/** Stops sending in the middle and keeps the connection open. */
export function stalls(reply: Answer, stall: { after: Place }): Answer {
  return deliver(reply, { stall });
}

export function slowly(
  reply: Answer,
  { firstMs = 0, betweenMs = 0 }: { firstMs?: number; betweenMs?: number },
): Answer {
  return deliver(reply, { firstMs, betweenMs });
}

/** Comments, pings or blank lines between the frames, as vendors send while the model thinks. */
export function keepAlive(reply: Answer): Answer {
  return deliver(reply, { keepAlive: true });
}

/** The smallest pieces a client can get: one UTF-16 unit per delta, seven bytes per write. */
export function shreds(reply: Answer): Answer {
  return { ...deliver(reply, { tornBytes: 7 }), pieceLength: 1 };
}

export function hangs({ ms }: { ms?: number } = {}): Reply {
  return ms === undefined ? { type: 'hang' } : { type: 'hang', ms };
}

/** The connection is destroyed before the first byte of an answer. */
export function drops(): Reply {
  return { type: 'hang', ms: 0 };
}

/** Bytes sent unchanged. */
export function rawChunks(
  chunks: (string | Uint8Array)[],
  {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
  }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return { type: 'raw', status, headers, chunks, delivery: {} };
}

/**
 * A server that is not what it claims to be: `json` breaks one frame's JSON, `html` is a proxy's page with
 * status 200, `empty` is a stream without content, `stranger` is valid JSON of no known protocol.
 */
export function garbage(kind: 'json' | 'html' | 'empty' | 'stranger' = 'json'): Reply {
  switch (kind) {
    case 'json':
      return deliver(says('this will not arrive'), { invalidJson: { after: 1 } });
    case 'html':
      return rawChunks(['<!doctype html><html><body><h1>Sign in</h1></body></html>'], {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    case 'empty':
      return rawChunks([]);
    case 'stranger':
      return rawChunks(['{"status":"ok"}'], { headers: { 'content-type': 'application/json' } });
    default:
      return kind satisfies never;
  }
}

function deliver(reply: Answer, delivery: Delivery): Answer {
  return { ...reply, delivery: { ...reply.delivery, ...delivery } };
}

function toCall([name, input = {}, quirks = {}]: CallWords): ReplyPart {
  return { type: 'call', name, input, ...quirks };
}
