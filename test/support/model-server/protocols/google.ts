import { argumentValue, idOf, type ScriptedCall, sign, signCall, split, stopOf, usageOf } from '../pieces.ts';
import type { Exchange, Frame, Json, Protocol } from '../protocol.ts';
import type { Answer, ErrorWords, ReplyPart, ScriptedUsage } from '../script.ts';
import { viewGoogle } from './view-google.ts';

const STOPS = { end: 'STOP', calls: 'STOP', max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' } as const;

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

export const google: Protocol = {
  name: 'google',
  mediaType: 'text/event-stream',
  keepAlive: ': keep-alive\r\n\r\n',
  view: viewGoogle,
  wantsStream: (_body, path) => path.includes(':streamGenerateContent'),
  frames,
  whole,
  error,
  errorFrame: (words) =>
    sse(error(503, { message: 'The model is overloaded. Please try again later.', ...words })),
};

/** Third-generation models give calls ids, sign them, and require the signatures back. */
export function signsCalls(model: string): boolean {
  return Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
}

function* frames(answer: Answer, exchange: Exchange): Generator<Frame> {
  const usage = usageOf(answer, exchange);
  const parts = [...wireParts(answer, exchange)];
  const stopped = { finishReason: STOPS[stopOf(answer)] };
  for (const part of parts) {
    const content = { parts: [part], role: 'model' };
    yield {
      text: sse({
        candidates: [{ content, index: 0 }],
        ...tail(exchange, usage && { ...usage, outputTokens: 0 }),
      }),
    };
  }
  const content = { parts: [{ text: '' }], role: 'model' };
  yield {
    text: sse({ candidates: [{ content, ...stopped, index: 0 }], ...tail(exchange, usage) }),
    ending: true,
  };
}

function whole(answer: Answer, exchange: Exchange): Json {
  const content = { parts: repaired([...wireParts(answer, exchange)]), role: 'model' };
  const candidate = { content, finishReason: STOPS[stopOf(answer)], index: 0 };
  return { candidates: [candidate], ...tail(exchange, usageOf(answer, exchange)) };
}

/** Merges adjacent pieces of one text into one part. */
function repaired(parts: Json[]): Json[] {
  const kept: Json[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    const sameKind =
      last !== undefined && last.thought === part.thought && last.thoughtSignature === undefined;
    if (sameKind && typeof last.text === 'string' && typeof part.text === 'string') {
      kept[kept.length - 1] = { ...last, ...part, text: last.text + part.text };
    } else kept.push(part);
  }
  return kept;
}

function* wireParts(answer: Answer, exchange: Exchange): Generator<Json> {
  const firstCall = answer.parts.find((part) => part.type === 'call');
  for (const [position, part] of answer.parts.entries()) {
    if (part.type === 'text') for (const text of split(part.text, answer.pieceLength)) yield { text };
    else if (part.type === 'thinking') yield* thoughtParts(part, answer);
    else yield callPart(part, position, { exchange, signed: part === firstCall });
  }
}

function* thoughtParts(part: Extract<ReplyPart, { type: 'thinking' }>, answer: Answer): Generator<Json> {
  if (part.redacted) return;
  for (const text of split(part.text, answer.pieceLength)) yield { text, thought: true };
  // Without a call to carry it, the signature is sent in a separate part.
  if (!answer.parts.some((other) => other.type === 'call'))
    yield { text: '', thoughtSignature: sign(part.text) };
}

function callPart(
  call: ScriptedCall,
  position: number,
  { exchange, signed }: { exchange: Exchange; signed: boolean },
): Json {
  const named = signsCalls(exchange.model) || call.id !== undefined;
  const id = named ? idOf(call, position, { seq: exchange.seq, prefix: 'fc' }) : undefined;
  const args = argumentValue(call);
  return {
    functionCall: {
      ...(id === undefined ? {} : { id }),
      name: call.name,
      ...(args === undefined ? {} : { args }),
    },
    ...(signed && signsCalls(exchange.model) ? { thoughtSignature: signCall(call.name, args ?? {}) } : {}),
  };
}

function tail({ seq, model }: Exchange, usage: ScriptedUsage | undefined): Json {
  const ids = { modelVersion: model, responseId: `scripted${String(seq).padStart(8, '0')}` };
  if (usage === undefined) return ids;
  const promptTokenCount = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  // Thinking tokens are counted next to the candidates here, not among them.
  const candidatesTokenCount = Math.max(0, usage.outputTokens - usage.reasoningTokens);
  return {
    usageMetadata: {
      promptTokenCount,
      ...(usage.outputTokens === 0 ? {} : { candidatesTokenCount }),
      totalTokenCount: promptTokenCount + usage.outputTokens,
      ...(usage.cacheReadTokens === 0 ? {} : { cachedContentTokenCount: usage.cacheReadTokens }),
      ...(usage.reasoningTokens === 0 ? {} : { thoughtsTokenCount: usage.reasoningTokens }),
    },
    ...ids,
  };
}

function error(
  status: number,
  { type, message = `scripted failure ${status}`, retryAfter }: ErrorWords,
): Json {
  const detail = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` };
  return {
    error: {
      code: status,
      message,
      status: type ?? STATUSES[status] ?? 'UNKNOWN',
      ...(retryAfter === undefined ? {} : { details: [detail] }),
    },
  };
}

function sse(data: Json): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
