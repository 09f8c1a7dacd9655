import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { Usage } from '../../contract/message.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import { fromStreamedError } from '../errors/vendor-errors.ts';
import type { ProviderOptions } from '../options.ts';
import { servedBy } from '../tiers.ts';
import type { WireNames } from '../tool-names.ts';
import { signatureOf } from './responses-wire.ts';

/** Names of a call: item id, call id, and index. Compatible servers omit any of them, or reuse an index. */
type CallNames = { id?: string | undefined; callId?: string | undefined; index?: number | undefined };

type ReplyCall = CallNames & { key: string; name: string; said: boolean; ended: boolean };

/** An output item by its index; compatible servers omit it, and then have ids, or one item at a time. */
type ItemKey = number | string | undefined;

/** State of one reply. */
export type ResponsesReply = {
  options: ProviderOptions;
  names: WireNames;
  /** Items with output so far: what `done` repeats must not be emitted twice. */
  said: Set<ItemKey>;
  calls: ReplyCall[];
  /** The vendor returned encrypted thinking, which later items may refer to. */
  sealed: boolean;
  refused: boolean;
  stopped: boolean;
};

export function openReply(options: ProviderOptions, names: WireNames): ResponsesReply {
  return { options, names, said: new Set(), calls: [], sealed: false, refused: false, stopped: false };
}

/** Translates one wire frame to events; throws errors that the server reports. */
export function* toEvents(frame: ResponseStreamEvent, reply: ResponsesReply): Generator<ProviderEvent> {
  if (reply.stopped) return;
  switch (frame.type) {
    case 'response.output_text.delta':
      reply.said.add(keyOf(frame));
      yield { type: 'text', text: frame.delta };
      return;
    case 'response.refusal.delta':
      reply.refused = true;
      reply.said.add(keyOf(frame));
      yield { type: 'text', text: frame.delta };
      return;
    case 'response.reasoning_summary_part.added':
      if (reply.said.has(keyOf(frame))) yield { type: 'thinking', text: '\n\n' };
      return;
    case 'response.reasoning_summary_text.delta':
    case 'response.reasoning_text.delta':
      reply.said.add(keyOf(frame));
      yield { type: 'thinking', text: frame.delta };
      return;
    case 'response.output_item.added':
      if (frame.item.type === 'function_call') yield* startCall(frame.item, frame, reply);
      return;
    case 'response.function_call_arguments.delta': {
      const call = callOfFragment(frame, reply.calls);
      if (!call || call.ended) return;
      call.said = true;
      yield { type: 'tool_call_delta', key: call.key, json: jsonOf(frame.delta) };
      return;
    }
    case 'response.output_item.done':
      yield* finishItem(frame.item, frame, reply);
      return;
    case 'response.completed':
    case 'response.incomplete':
      if (frame.response.usage)
        yield { type: 'usage', usage: usageOf(frame.response.usage), ...servedBy(frame.response) };
      reply.stopped = true;
      yield stopOf(frame.response, reply);
      return;
    case 'response.failed':
      throw fromStreamedError(frame.response.error ?? 'The response failed.', reply.options);
  }
}

type ItemFrame = { type: string; output_index?: number; item_id?: string; item?: object };

function keyOf({ output_index, item_id, item }: ItemFrame): ItemKey {
  const { id, call_id }: { id?: string; call_id?: string } = item ?? {};
  return output_index ?? item_id ?? id ?? call_id;
}

type FunctionCall = Extract<ResponseOutputItem, { type: 'function_call' }>;

/** Opens the item's call, unless it is open already. */
function* startCall(
  item: FunctionCall,
  { type, output_index: index }: ItemFrame,
  reply: ResponsesReply,
): Generator<ProviderEvent, ReplyCall> {
  const names: CallNames = { id: item.id || undefined, callId: item.call_id || undefined, index };
  const known = callOfItem(
    { ...names, isNew: type === 'response.output_item.added' },
    item.name,
    reply.calls,
  );
  if (known) {
    known.id ??= names.id;
    known.callId ??= names.callId;
    return known;
  }
  const key = String(reply.calls.length);
  const call: ReplyCall = { ...names, key, name: item.name, said: false, ended: false };
  reply.calls.push(call);
  const { call_id: id } = item;
  yield { type: 'tool_call_start', key, ...(id ? { id } : {}), name: reply.names.fromWire(item.name) };
  return call;
}

/** The call that an item describes again: the one it names; a finished item may leave out its names. */
function callOfItem(
  { isNew, ...names }: CallNames & { isNew: boolean },
  name: string,
  calls: readonly ReplyCall[],
): ReplyCall | undefined {
  const here = calls.filter((call) => !differ(call.index, names.index));
  // Different items may have the same call id.
  const named =
    here.find((call) => isNamed(call, names.id)) ??
    here.find((call) => isNamed(call, names.callId) && !(isNew && differ(call.id, names.id)));
  if (named || isNew) return named;
  const open = calls.filter((call) => !call.ended && call.name === name && !contradicts(call, names));
  return open.find((call) => call.index === names.index) ?? open[0];
}

/** Servers mix up the two kinds of id. */
function isNamed(call: CallNames, id: string | undefined): boolean {
  return id !== undefined && (call.id === id || call.callId === id);
}

function contradicts(call: CallNames, { id, callId, index }: CallNames): boolean {
  return differ(call.id, id) || differ(call.callId, callId) || differ(call.index, index);
}

function differ<Name>(a: Name | undefined, b: Name | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

/** A fragment without a name belongs to the last call. */
function callOfFragment(
  { item_id, output_index }: ItemFrame,
  calls: readonly ReplyCall[],
): ReplyCall | undefined {
  const named = calls.findLast((call) => isNamed(call, item_id));
  if (named) return named;
  const indexed = output_index !== undefined && calls.findLast((call) => call.index === output_index);
  return indexed || calls.findLast((call) => !call.ended);
}

/** A finished item repeats all of its content; servers without fine-grained streaming send it only here. */
function* finishItem(
  item: ResponseOutputItem,
  frame: ItemFrame,
  reply: ResponsesReply,
): Generator<ProviderEvent> {
  if (item.type === 'function_call') {
    const call = yield* startCall(item, frame, reply);
    if (call.ended) return;
    if (!call.said && item.arguments) {
      yield { type: 'tool_call_delta', key: call.key, json: jsonOf(item.arguments) };
    }
    call.ended = true;
    yield { type: 'tool_call_end', key: call.key };
    return;
  }
  if (item.type === 'web_search_call') {
    const sources = item.action?.type === 'search' ? (item.action.sources ?? []) : [];
    const hits = sources.map(({ url }) => ({ title: '', url, snippet: '' }));
    if (item.status !== 'failed' && item.action?.type === 'search')
      yield { type: 'web_search', searches: 1, hits };
    return;
  }
  if (item.type === 'message') yield* citedIn(item);
  const at = keyOf(frame);
  // Fragments without an item id may belong to this item.
  const silent = !reply.said.has(at) && !reply.said.has(undefined);
  if (item.type === 'message' && silent) {
    for (const part of item.content) {
      if (part.type === 'refusal') reply.refused = true;
      yield { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
    }
  }
  if (item.type === 'message') yield* endText(item, reply);
  if (item.type === 'reasoning') {
    const text = item.summary.map((part) => part.text).join('\n\n');
    if (silent && text) yield { type: 'thinking', text };
    if (!item.encrypted_content) return;
    reply.sealed = true;
    const signature = signatureOf({ ...item, encrypted_content: item.encrypted_content });
    yield { type: 'thinking_signature', signature, ...(silent && !text && { redacted: true as const }) };
  }
}

function* endText(
  { id, phase }: Extract<ResponseOutputItem, { type: 'message' }>,
  { sealed }: ResponsesReply,
): Generator<ProviderEvent> {
  const end = { ...(sealed && id && { signature: id }), ...(phase && { phase }) };
  if (Object.keys(end).length > 0) yield { type: 'text_end', ...end };
}

/** Pages that a message cites: the text before a citation is what it says about the page. */
function* citedIn({ content }: Extract<ResponseOutputItem, { type: 'message' }>): Generator<ProviderEvent> {
  const hits = content.flatMap((part) =>
    part.type !== 'output_text'
      ? []
      : (part.annotations ?? []).flatMap((note) =>
          note.type === 'url_citation'
            ? [{ title: note.title, url: note.url, snippet: lineBefore(part.text, note.start_index) }]
            : [],
        ),
  );
  if (hits.length > 0) yield { type: 'web_search', searches: 0, hits };
}

function lineBefore(text: string, end: number): string {
  const before = text.slice(0, end);
  return before.slice(before.lastIndexOf('\n') + 1).replace(/[\s([]+$/, '');
}

/** Some servers send the arguments as an object instead of a string. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function stopOf({ incomplete_details }: Response, { calls, refused }: ResponsesReply): ProviderEvent {
  const category = incomplete_details?.reason;
  if (category === 'max_output_tokens') return { type: 'stop', reason: 'max_tokens' };
  if (category === 'content_filter') return { type: 'stop', reason: 'refusal', refusal: { category } };
  if (refused) return { type: 'stop', reason: 'refusal' };
  return { type: 'stop', reason: calls.length > 0 ? 'tool_calls' : 'end' };
}

/** Compatible servers omit the details. */
export function usageOf(usage: Partial<ResponseUsage>): Usage {
  const { cached_tokens = 0, cache_write_tokens = 0 }: Partial<ResponseUsage.InputTokensDetails> =
    usage.input_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, (usage.input_tokens ?? 0) - cached_tokens - cache_write_tokens),
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens: cached_tokens,
    cacheWriteTokens: cache_write_tokens,
  };
}
