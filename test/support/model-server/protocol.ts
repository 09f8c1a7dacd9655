import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, ErrorWords } from './script.ts';
import type { VendorRequest } from './vendors/rule.ts';

export type ProtocolName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'google' | 'ollama';

export type Json = Record<string, unknown>;

/**
 * One unit of a stream, ready to be written. An `ending` frame is about how the reply ended, not its content;
 * an `echo` only repeats the request.
 */
export type Frame = { text: string; ending?: true; echo?: true };

type SeenCall = { id: string; name: string; input: unknown };

/** `isError` is absent if the protocol cannot express it. */
type SeenResult = { callId: string; text: string; isError?: boolean };

/** Runs of tool results, and runs of assistant items, are one message in every protocol. */
export type SeenMessage = {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  calls: SeenCall[];
  results: SeenResult[];
  images?: number;
  /** Proofs of thought sent back: signatures, encrypted reasoning. */
  signatures?: string[];
};

/** The content of a request, in vendor-neutral form. */
export type View = { model: string; system: string; tools: string[]; messages: SeenMessage[] };

export type SeenRequest = View & {
  protocol: ProtocolName;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
  /** `performance.now()` when the request's headers had arrived. */
  receivedAt: number;
  /** `performance.now()` just before the last byte of the reply was written. */
  endedAt?: number;
  /** The client disconnected before the reply was complete. */
  aborted: boolean;
  /** Why the server, as strict as the vendor, answered with its own error. */
  refused?: string;
};

export type Refusal = { status: number; message: string; type?: string };

/** What a validator uses besides the body. */
export type Head = { headers: IncomingHttpHeaders; path: string; query: URLSearchParams };

/** One request being answered. `seq` counts from 1 and makes ids unique. */
export type Exchange = { seq: number; model: string; body: Json; now: Date; request: VendorRequest };

export type Protocol = {
  name: ProtocolName;
  /** The media type of a streamed reply. */
  mediaType: string;
  /** What the vendor sends to keep an idle connection open. */
  keepAlive: string;
  view(body: Json, path: string): View;
  wantsStream(body: Json, path: string): boolean;
  frames(answer: Answer, exchange: Exchange): Generator<Frame>;
  whole(answer: Answer, exchange: Exchange): Json;
  /** The vendor's error body for a status; `words` fills its fields. */
  error(status: number, words: ErrorWords): Json;
  /** An error inside a stream that has started. */
  errorFrame(words: ErrorWords): string;
};

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function records(value: unknown): Json[] {
  return list(value).map(record);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a result, without the failure mark used in protocols without a field for it. */
export function unmarked(said: string): string {
  return said.replace(/^Error: /, '');
}
