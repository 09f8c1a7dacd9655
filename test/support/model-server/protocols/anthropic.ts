import {
  argumentText,
  argumentValue,
  idOf,
  joined,
  type ScriptedCall,
  split,
  stopOf,
  usageOf,
} from '../pieces.ts';
import type { Exchange, Frame, Json, Protocol } from '../protocol.ts';
import type { Answer, ErrorWords, ReplyPart, ScriptedUsage } from '../script.ts';
import { asksForCompaction } from '../vendors/anthropic/compaction.ts';
import { type PrefixWalk, walkRequest } from '../vendors/anthropic/prefix.ts';
import { CONTROLS_BETA, judgeThinking, THOUGHT_BEFORE } from '../vendors/anthropic/preserved-thinking.ts';
import { type Binding, digest, encodeSignature } from '../vendors/anthropic/signature.ts';
import { isThinkingHidden } from '../vendors/anthropic/thinking.ts';
import { betasOf } from '../vendors/rule.ts';
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
  const start = { ...envelope(exchange), content: [], stop_reason: null, stop_sequence: null };
  yield frame({
    type: 'message_start',
    message: { ...start, ...toUsage(usage && { ...usage, outputTokens: 1 }), ...transformations(exchange) },
  });

  for (const [index, { part, block }] of wireBlocks(answer, exchange).entries()) {
    yield frame({ type: 'content_block_start', index, content_block: opening(part, block) });
    if (index === 0) yield frame({ type: 'ping' });
    for (const delta of deltas(part, block, answer.pieceLength))
      yield frame({ type: 'content_block_delta', index, delta });
    yield frame({ type: 'content_block_stop', index });
  }

  const delta = { ...stopFields(answer, exchange), stop_sequence: null };
  yield { ...frame({ type: 'message_delta', delta, ...finalUsage(answer, exchange) }), ending: true };
  yield { ...frame({ type: 'message_stop' }), ending: true };
}

function whole(answer: Answer, exchange: Exchange): Json {
  return {
    ...envelope(exchange),
    content: wireBlocks(answer, exchange).map(({ block }) => block),
    ...stopFields(answer, exchange),
    stop_sequence: null,
    ...finalUsage(answer, exchange),
    ...transformations(exchange),
  };
}

function stopFields(answer: Answer, { body }: Exchange): Json {
  if (asksForCompaction(body)) return { stop_reason: 'compaction' };
  const stop_reason = STOPS[stopOf(answer)];
  if (stop_reason !== 'refusal') return { stop_reason };
  return { stop_reason, stop_details: { type: 'refusal', category: null, explanation: null } };
}

/** Which thinking blocks of the request were not used; clients ask for it by a header. */
function transformations({ request }: Exchange): Json {
  if (!betasOf(request).has(CONTROLS_BETA)) return {};
  return { input_transformations: judgeThinking(request).transformations };
}

/** A part, undefined for a block that no script plays, and the complete block on the wire. */
type WireBlock = { part: ReplyPart | undefined; block: Json };

function wireBlocks(answer: Answer, exchange: Exchange): WireBlock[] {
  const { walk } = walkRequest(exchange.body);
  if (asksForCompaction(exchange.body)) {
    const signature = encodeSignature(bindingOf('compaction', walk, { exchange, shown: '' }));
    return [{ part: undefined, block: { type: 'compaction', content: joined(answer, 'text'), signature } }];
  }
  const hasThought = answer.parts.some((part) => part.type === 'thinking');
  const ids = { seq: exchange.seq, prefix: hasThought ? THOUGHT_BEFORE : 'toolu_01' };
  return answer.parts.map((part, index) => {
    if (part.type === 'thinking') return { part, block: thinkingBlock(part, walk, exchange) };
    const block =
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : toolUse(part, index, { ids, input: argumentValue(part) ?? {} });
    walk.block('assistant', block);
    return { part, block };
  });
}

type ScriptedThinking = Extract<ReplyPart, { type: 'thinking' }>;

/** The signature binds the block to everything before it. */
function thinkingBlock(part: ScriptedThinking, walk: PrefixWalk, exchange: Exchange): Json {
  const shown = part.redacted || isThinkingHidden(exchange.body, part) ? '' : part.text;
  const kind = part.redacted ? 'redacted' : 'thinking';
  const proof = part.signature ?? encodeSignature(bindingOf(kind, walk, { exchange, shown }));
  exchange.request.sent.rememberTrail(walk.here().messages, walk.here().trail);
  walk.thought(proof);
  return part.redacted
    ? { type: 'redacted_thinking', data: proof }
    : { type: 'thinking', thinking: shown, signature: proof };
}

function bindingOf(
  kind: Binding['kind'],
  walk: PrefixWalk,
  { exchange: { model, request }, shown }: { exchange: Exchange; shown: string },
): Binding {
  const { trail: _trail, ...prefix } = walk.here();
  const account = request.settled.account.id;
  return { kind, model, account, ...prefix, text: shown === '' ? '' : digest(shown) };
}

/** What a block looks like before its deltas. */
function opening(part: ReplyPart | undefined, block: Json): Json {
  if (part?.type === 'text') return { type: 'text', text: '' };
  if (part?.type === 'thinking' && !part.redacted) return { type: 'thinking', thinking: '', signature: '' };
  if (part?.type === 'call' && !part.objectArguments) return { ...block, input: {} };
  return part?.type === 'call' ? { ...block, input: part.input } : block;
}

function toolUse(
  call: ScriptedCall,
  position: number,
  { ids, input }: { ids: { seq: number; prefix: string }; input: unknown },
): Json {
  const id = idOf(call, position, ids);
  return { type: 'tool_use', ...(id === undefined ? {} : { id }), name: call.name, input };
}

function* deltas(part: ReplyPart | undefined, block: Json, longest: number | undefined): Generator<Json> {
  switch (part?.type) {
    case 'text':
      for (const text of split(part.text, longest)) yield { type: 'text_delta', text };
      return;
    case 'thinking':
      if (part.redacted) return;
      // Hidden thinking has one empty delta before its signature.
      for (const thinking of block.thinking === '' ? [''] : split(String(block.thinking), longest))
        yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: block.signature };
      return;
    case 'call': {
      const json = argumentText(part);
      if (json === undefined || part.objectArguments) return;
      // The vendor starts every argument stream with an empty piece.
      for (const partial_json of ['', ...split(json, longest)])
        yield { type: 'input_json_delta', partial_json };
      return;
    }
    case undefined:
      return;
    default:
      part satisfies never;
  }
}

function finalUsage(answer: Answer, exchange: Exchange): Json {
  const usage = usageOf(answer, exchange);
  if (!usage || !asksForCompaction(exchange.body)) return toUsage(usage);
  const { inputTokens: input_tokens, outputTokens: output_tokens } = usage;
  // The summary is billed as an iteration, next to the counts of the reply itself.
  const iterations = [{ type: 'compaction', input_tokens, output_tokens }];
  return { usage: { input_tokens: 0, output_tokens: 0, iterations } };
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
