import {
  argumentText,
  argumentValue,
  idOf,
  type ScriptedCall,
  seal,
  sign,
  split,
  stopOf,
  usageOf,
} from './pieces.ts';
import { type Exchange, type Frame, type Json, type Protocol, record } from './protocol.ts';
import type { Answer, ErrorWords, ReplyPart, ScriptedUsage } from './script.ts';
import { THOUGHT_BEFORE } from './validate-anthropic.ts';
import { viewAnthropic } from './view-anthropic.ts';

const STOPS = { end: 'end_turn', calls: 'tool_use', max_tokens: 'max_tokens', refusal: 'refusal' } as const;

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

export const anthropic: Protocol = {
  name: 'anthropic',
  mediaType: 'text/event-stream; charset=utf-8',
  keepAlive: sse({ type: 'ping' }),
  view: viewAnthropic,
  wantsStream: (body) => body.stream === true,
  frames,
  whole,
  error,
  errorFrame: (words) => sse(error(529, { type: 'overloaded_error', message: 'Overloaded', ...words })),
};

function* frames(answer: Answer, exchange: Exchange): Generator<Frame> {
  const usage = usageOf(answer, exchange);
  const ids = idsFor(answer, exchange);
  const start = { ...envelope(exchange), content: [], stop_reason: null, stop_sequence: null };
  yield frame({
    type: 'message_start',
    message: { ...start, ...toUsage(usage && { ...usage, outputTokens: 1 }) },
  });

  for (const [index, part] of shownParts(answer, exchange).entries()) {
    yield frame({ type: 'content_block_start', index, content_block: opening(part, index, ids) });
    if (index === 0) yield frame({ type: 'ping' });
    for (const delta of deltas(part, answer.pieceLength))
      yield frame({ type: 'content_block_delta', index, delta });
    yield frame({ type: 'content_block_stop', index });
  }

  const delta = { stop_reason: STOPS[stopOf(answer)], stop_sequence: null };
  yield { ...frame({ type: 'message_delta', delta, ...toUsage(usage) }), ending: true };
  yield { ...frame({ type: 'message_stop' }), ending: true };
}

function whole(answer: Answer, exchange: Exchange): Json {
  const ids = idsFor(answer, exchange);
  return {
    ...envelope(exchange),
    content: shownParts(answer, exchange).map((part, index) => closed(part, index, ids)),
    stop_reason: STOPS[stopOf(answer)],
    stop_sequence: null,
    ...toUsage(usageOf(answer, exchange)),
  };
}

/** The display `updates` shows only notes. */
function shownParts({ parts }: Answer, { body }: Exchange): ReplyPart[] {
  if (record(body.thinking).display !== 'updates') return parts;
  return parts.map((part) => (part.type === 'thinking' && !part.note ? { ...part, text: '' } : part));
}

type Ids = { seq: number; prefix: string };

function idsFor(answer: Answer, { seq }: Exchange): Ids {
  const thought = answer.parts.some((part) => part.type === 'thinking');
  return { seq, prefix: thought ? THOUGHT_BEFORE : 'toolu_01' };
}

function opening(part: ReplyPart, index: number, ids: Ids): Json {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return part.redacted ? closed(part, index, ids) : { type: 'thinking', thinking: '', signature: '' };
    case 'call':
      return toolUse(part, index, { ids, input: part.objectArguments ? part.input : {} });
    default:
      return part satisfies never;
  }
}

function closed(part: ReplyPart, index: number, ids: Ids): Json {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      return part.redacted
        ? { type: 'redacted_thinking', data: seal(part.text) }
        : { type: 'thinking', thinking: part.text, signature: sign(part.text) };
    case 'call':
      return toolUse(part, index, { ids, input: argumentValue(part) ?? {} });
    default:
      return part satisfies never;
  }
}

function toolUse(call: ScriptedCall, position: number, { ids, input }: { ids: Ids; input: unknown }): Json {
  const id = idOf(call, position, ids);
  return { type: 'tool_use', ...(id === undefined ? {} : { id }), name: call.name, input };
}

function* deltas(part: ReplyPart, longest: number | undefined): Generator<Json> {
  switch (part.type) {
    case 'text':
      for (const text of split(part.text, longest)) yield { type: 'text_delta', text };
      return;
    case 'thinking':
      if (part.redacted) return;
      for (const thinking of split(part.text, longest)) yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: sign(part.text) };
      return;
    case 'call': {
      const json = argumentText(part);
      if (json === undefined || part.objectArguments) return;
      // The vendor starts every argument stream with an empty piece.
      for (const partial_json of ['', ...split(json, longest)])
        yield { type: 'input_json_delta', partial_json };
      return;
    }
    default:
      part satisfies never;
  }
}

function envelope({ seq, model }: Exchange): Json {
  return { id: `msg_01${String(seq).padStart(8, '0')}`, type: 'message', role: 'assistant', model };
}

function toUsage(usage: ScriptedUsage | undefined): Json {
  if (usage === undefined) return {};
  return {
    usage: {
      input_tokens: usage.inputTokens,
      cache_creation_input_tokens: usage.cacheWriteTokens,
      cache_read_input_tokens: usage.cacheReadTokens,
      output_tokens: usage.outputTokens,
      service_tier: 'standard',
    },
  };
}

function error(status: number, { type, message = `scripted failure ${status}` }: ErrorWords): Json {
  return { type: 'error', error: { type: type ?? ERROR_TYPES[status] ?? 'api_error', message } };
}

function frame(event: Json): Frame {
  return { text: sse(event) };
}

function sse(event: Json): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}
