import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { StopReason, Usage } from '../../contract/message.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import { fromStreamedError } from '../errors/vendor-errors.ts';
import type { ProviderOptions } from '../options.ts';
import type { WireNames } from '../tool-names.ts';
import { signatureOf } from './responses-wire.ts';

/** `id` as sent by the server: compatible ones omit it. */
type OpenCall = { key: string; id: string | undefined; said: boolean };

/** An output item by its index; compatible servers omit it, and then have ids, or one item at a time. */
type ItemKey = number | string | undefined;

/** State of one reply. */
export type ResponsesReply = {
  options: ProviderOptions;
  names: WireNames;
  /** Items with output so far: what `done` repeats must not be emitted twice. */
  said: Set<ItemKey>;
  calls: Map<ItemKey, OpenCall>;
  callCount: number;
  refused: boolean;
  stopped: boolean;
};

export function openReply(options: ProviderOptions, names: WireNames): ResponsesReply {
  return { options, names, said: new Set(), calls: new Map(), callCount: 0, refused: false, stopped: false };
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
      if (frame.item.type === 'function_call') yield* startCall(frame.item, keyOf(frame), reply);
      return;
    case 'response.function_call_arguments.delta': {
      const at = keyOf(frame);
      const call = at === undefined ? [...reply.calls.values()].at(-1) : reply.calls.get(at);
      if (!call) return;
      call.said = true;
      yield { type: 'tool_call_delta', key: call.key, json: jsonOf(frame.delta) };
      return;
    }
    case 'response.output_item.done':
      yield* finishItem(frame.item, keyOf(frame), reply);
      return;
    case 'response.completed':
    case 'response.incomplete':
      if (frame.response.usage) yield { type: 'usage', usage: usageOf(frame.response.usage) };
      reply.stopped = true;
      yield { type: 'stop', reason: stopReason(frame.response, reply) };
      return;
    case 'response.failed':
      throw fromStreamedError(frame.response.error ?? 'The response failed.', reply.options);
  }
}

type ItemFrame = { output_index?: number; item_id?: string; item?: object };

function keyOf({ output_index, item_id, item }: ItemFrame): ItemKey {
  const { id, call_id }: { id?: string; call_id?: string } = item ?? {};
  return output_index ?? item_id ?? id ?? call_id;
}

type FunctionCall = Extract<ResponseOutputItem, { type: 'function_call' }>;

/** Opens the item's call, unless it is already open there: some servers reuse an index. */
function* startCall(
  item: FunctionCall,
  at: ItemKey,
  reply: ResponsesReply,
): Generator<ProviderEvent, OpenCall> {
  const open = reply.calls.get(at);
  if (open && open.id === item.call_id) return open;
  const call: OpenCall = { key: String(reply.callCount++), id: item.call_id, said: false };
  reply.calls.set(at, call);
  const { key, id } = call;
  yield { type: 'tool_call_start', key, ...(id ? { id } : {}), name: reply.names.fromWire(item.name) };
  return call;
}

/** A finished item repeats all of its content; servers without fine-grained streaming send it only here. */
function* finishItem(item: ResponseOutputItem, at: ItemKey, reply: ResponsesReply): Generator<ProviderEvent> {
  if (item.type === 'function_call') {
    const call = yield* startCall(item, at, reply);
    if (!call.said && item.arguments) {
      yield { type: 'tool_call_delta', key: call.key, json: jsonOf(item.arguments) };
    }
    yield { type: 'tool_call_end', key: call.key };
    reply.calls.delete(at);
  }
  // Fragments without an item id may belong to this item.
  const silent = !reply.said.has(at) && !reply.said.has(undefined);
  if (item.type === 'message' && silent) {
    for (const part of item.content) {
      if (part.type === 'refusal') reply.refused = true;
      yield { type: 'text', text: part.type === 'refusal' ? part.refusal : part.text };
    }
  }
  if (item.type === 'reasoning') {
    const text = item.summary.map((part) => part.text).join('\n\n');
    if (silent && text) yield { type: 'thinking', text };
    if (!item.encrypted_content) return;
    const signature = signatureOf({ id: item.id, encrypted_content: item.encrypted_content });
    yield { type: 'thinking_signature', signature, ...(silent && !text && { redacted: true as const }) };
  }
}

/** Some servers send the arguments as an object instead of a string. */
function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function stopReason(response: Response, { callCount, refused }: ResponsesReply): StopReason {
  if (response.incomplete_details?.reason === 'max_output_tokens') return 'max_tokens';
  if (response.incomplete_details?.reason === 'content_filter' || refused) return 'refusal';
  return callCount > 0 ? 'tool_calls' : 'end';
}

/** Compatible servers omit the details. */
function usageOf(usage: Partial<ResponseUsage>): Usage {
  const { cached_tokens = 0, cache_write_tokens = 0 }: Partial<ResponseUsage.InputTokensDetails> =
    usage.input_tokens_details ?? {};
  return {
    inputTokens: Math.max(0, (usage.input_tokens ?? 0) - cached_tokens - cache_write_tokens),
    outputTokens: usage.output_tokens ?? 0,
    cacheReadTokens: cached_tokens,
    cacheWriteTokens: cache_write_tokens,
  };
}
