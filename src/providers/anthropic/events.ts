import { isDeepStrictEqual } from 'node:util';
import type Anthropic from '@anthropic-ai/sdk';
import { noUsage, type Usage } from '../../contract/message.ts';
import type { InputTransformation, ProviderEvent } from '../../contract/provider.ts';
import { isObject } from '../../lib/text/json.ts';
import { type WireNames, wireNames } from '../tool-names.ts';

/** State of one reply. `notes`: the text of a thought is a progress note. `open` holds the blocks still arriving, by index. */
export type ReplyState = {
  notes: boolean;
  names: WireNames;
  usage: Usage;
  /** The service tier of the reply. */
  tier?: string;
  stop: Extract<ProviderEvent, { type: 'stop' }>['reason'];
  transformations?: InputTransformation[];
  /** What a refusal was about. */
  category?: string | undefined;
  open: Map<number, { type: 'call' } | { type: 'thought'; silent: boolean; signature: string }>;
};

export function newReply(
  tools: readonly { name: string }[] = [],
  { notes = false }: { notes?: boolean } = {},
): ReplyState {
  return { notes, names: wireNames(tools), usage: noUsage, stop: 'end', open: new Map() };
}

/** Translates one wire frame to events. Unknown kinds of frames, blocks and deltas are ignored. */
export function* toEvents(
  frame: Anthropic.RawMessageStreamEvent,
  state: ReplyState,
): Generator<ProviderEvent> {
  switch (frame.type) {
    case 'message_start':
      yield* transformed(frame.message, state);
      yield* countUsage(frame.message?.usage, state);
      return;
    case 'content_block_start':
      yield* openBlock(frame, state);
      return;
    case 'content_block_delta':
      yield* readDelta(frame, state);
      return;
    case 'content_block_stop':
      yield* closeBlock(frame.index, state);
      return;
    case 'message_delta':
      if (frame.delta?.stop_reason) state.stop = STOP[frame.delta.stop_reason] ?? 'end';
      yield* transformed(frame, state);
      state.category = frame.delta?.stop_details?.category ?? state.category;
      yield* countUsage(frame.usage, state);
      return;
    case 'message_stop':
      yield {
        type: 'stop',
        reason: state.stop,
        ...(state.stop === 'refusal' && state.category && { refusal: { category: state.category } }),
      };
      return;
    default:
      frame satisfies never;
  }
}

/** Sent with the betas that check thinking, and again after another model has taken over. */
function* transformed(frame: object | undefined, state: ReplyState): Generator<ProviderEvent> {
  const { input_transformations: list }: { input_transformations?: unknown } = frame ?? {};
  const transformations = (Array.isArray(list) ? list : []).filter(isObject).map((one) => ({
    kind: String(one.type),
    reason: String(one.reason),
    path: String(one.path),
  }));
  if (transformations.length === 0 || isDeepStrictEqual(transformations, state.transformations)) return;
  state.transformations = transformations;
  yield { type: 'input_transformed', transformations };
}

const STOP: Partial<Record<string, ReplyState['stop']>> = {
  end_turn: 'end',
  stop_sequence: 'end',
  pause_turn: 'end',
  tool_use: 'tool_calls',
  max_tokens: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  compaction: 'end',
  refusal: 'refusal',
};

function* openBlock(
  { index, content_block: block }: Anthropic.RawContentBlockStartEvent,
  { open, names, notes }: ReplyState,
): Generator<ProviderEvent> {
  const key = String(index);
  if (block.type === 'text' && block.text) yield { type: 'text', text: block.text };
  if (block.type === 'thinking') {
    open.set(index, { type: 'thought', silent: !block.thinking, signature: block.signature ?? '' });
    if (block.thinking) yield thought(block.thinking, notes);
  }
  if (block.type === 'redacted_thinking')
    yield { type: 'thinking_signature', signature: block.data, redacted: true };
  if (block.type === 'web_search_tool_result') yield* foundBy(block);
  const { type, content: text }: { type: string; content?: unknown } = { content: undefined, ...block };
  if (type === 'compaction')
    yield { type: 'summarized', items: [block], ...(typeof text === 'string' && { text }) };
  if (block.type === 'tool_use') {
    open.set(index, { type: 'call' });
    yield { type: 'tool_call_start', key, id: block.id, name: names.fromWire(block.name) };
    // Some compatible servers send the whole input here and no deltas after it.
    if (Object.keys(block.input ?? {}).length > 0)
      yield { type: 'tool_call_delta', key, json: JSON.stringify(block.input) };
  }
}

function* foundBy({ content }: Anthropic.WebSearchToolResultBlock): Generator<ProviderEvent> {
  if (!Array.isArray(content)) {
    // A failed search is not charged.
    yield { type: 'text', text: `\n[The search failed: ${content.error_code}]\n` };
    return;
  }
  const hits = content.map(({ title, url }) => ({ title: title ?? '', url, snippet: '' }));
  yield { type: 'web_search', searches: 1, hits };
}

function* readDelta(
  { index, delta }: Anthropic.RawContentBlockDeltaEvent,
  { open, notes }: ReplyState,
): Generator<ProviderEvent> {
  const block = open.get(index);
  if (delta.type === 'text_delta' && delta.text) yield { type: 'text', text: delta.text };
  if (delta.type === 'thinking_delta' && delta.thinking) {
    if (block?.type === 'thought') block.silent = false;
    yield thought(delta.thinking, notes);
  }
  if (delta.type === 'citations_delta' && delta.citation.type === 'web_search_result_location') {
    const { title, url, cited_text } = delta.citation;
    yield { type: 'web_search', searches: 0, hits: [{ title: title ?? '', url, snippet: cited_text }] };
  }
  if (delta.type === 'signature_delta' && block?.type === 'thought') block.signature += delta.signature;
  if (delta.type === 'input_json_delta' && delta.partial_json)
    yield { type: 'tool_call_delta', key: String(index), json: delta.partial_json };
}

function thought(text: string, isNote: boolean): ProviderEvent {
  return isNote ? { type: 'text', text, note: true } : { type: 'thinking', text };
}

function* closeBlock(index: number, { open }: ReplyState): Generator<ProviderEvent> {
  const block = open.get(index);
  open.delete(index);
  if (block?.type === 'call') yield { type: 'tool_call_end', key: String(index) };
  if (block?.type === 'thought' && block.signature !== '') {
    // A hidden thinking block still needs a start event, or its signature would close the previous block.
    if (block.silent) yield { type: 'thinking', text: '' };
    yield { type: 'thinking_signature', signature: block.signature };
  }
}

/** Later counts replace earlier ones; fields missing from a frame keep their value. */
function* countUsage(
  usage:
    | (Partial<Anthropic.MessageDeltaUsage> &
        Pick<Partial<Anthropic.Usage>, 'cache_creation' | 'service_tier'>)
    | undefined,
  state: ReplyState,
): Generator<ProviderEvent> {
  if (!usage) return;
  const { iterations } = usage as { iterations?: unknown };
  // A summary is billed apart from the reply.
  const summary = Array.isArray(iterations)
    ? iterations.filter(isObject).find(({ type }) => type === 'compaction')
    : undefined;
  if (summary) return yield* countUsage({ ...summary } as typeof usage, state);
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? state.usage.cacheWriteHourTokens;
  state.usage = {
    inputTokens: usage.input_tokens ?? state.usage.inputTokens,
    outputTokens: usage.output_tokens ?? state.usage.outputTokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? state.usage.cacheReadTokens,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? state.usage.cacheWriteTokens,
    ...(hour && { cacheWriteHourTokens: hour }),
  };
  if (usage.service_tier) state.tier = usage.service_tier;
  yield { type: 'usage', usage: state.usage, ...(state.tier !== undefined && { tier: state.tier }) };
}
