import type { StopReason, Usage } from '../../contract/message.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { Splitter } from '../text-tools/splitter.ts';
import { createThinkSplitter, type ThinkMode } from '../text-tools/thinking.ts';
import { servedBy } from '../tiers.ts';
import type { WireNames } from '../tool-names.ts';
import { collectDetails, type Detail, textOfDetails } from './chat-thoughts.ts';

/** A fragment of a call. Compatible servers omit, repeat or retype any of these fields. */
type CallPiece = {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown } | null;
};

type ContentPart = { type?: string; text?: string; thinking?: unknown; signature?: string | null };

type Delta = {
  content?: string | ContentPart[] | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_details?: unknown;
  tool_calls?: CallPiece[] | null;
  function_call?: CallPiece['function'];
};

type ChatUsage = {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
};

export type ChatFrame = {
  choices?: {
    delta?: Delta | null;
    message?: Delta | null;
    finish_reason?: string | null;
    usage?: ChatUsage;
  }[];
  usage?: ChatUsage | null;
  service_tier?: string | null;
  x_groq?: { usage?: ChatUsage } | null;
};

type OpenCall = { key: string; index?: number; id?: string; name: string; json: string; started: boolean };

/** State of one reply. */
export type ChatReply = {
  names: WireNames;
  /** Undefined once thinking arrives in a separate field, or the text is complete. */
  splitter: Splitter | undefined;
  calls: OpenCall[];
  /** Details of the current thought, to be sent back as they are. */
  details: Detail[];
  finish: string | undefined;
  refused: boolean;
};

export function openReply(names: WireNames, think: ThinkMode): ChatReply {
  return {
    names,
    splitter: createThinkSplitter(think),
    calls: [],
    details: [],
    finish: undefined,
    refused: false,
  };
}

/** Translates one wire frame to events. */
export function* toEvents(frame: ChatFrame, reply: ChatReply): Generator<ProviderEvent> {
  const choice = frame.choices?.[0];
  const delta = choice?.delta ?? choice?.message;
  if (delta) yield* deltaToEvents(delta, reply);
  if (choice?.finish_reason) reply.finish = choice.finish_reason;
  const usage = frame.usage ?? choice?.usage ?? frame.x_groq?.usage;
  if (usage) yield { type: 'usage', usage: usageOf(usage), ...servedBy(frame) };
}

/** The remaining events, once the stream is over and a finish reason has arrived. */
export function* closeReply(reply: ChatReply): Generator<ProviderEvent> {
  yield* endText(reply);
  yield* endThought(reply);
  for (const call of reply.calls) {
    yield* start(call, reply.names);
    yield { type: 'tool_call_end', key: call.key };
  }
  yield stopOf(reply);
}

function* deltaToEvents(delta: Delta, reply: ChatReply): Generator<ProviderEvent> {
  const thought = delta.reasoning_content || delta.reasoning || textOfDetails(delta.reasoning_details);
  if (thought) yield* think(thought, reply);
  collectDetails(reply.details, delta.reasoning_details);
  if (typeof delta.content === 'string') yield* say(delta.content, reply);
  if (Array.isArray(delta.content)) {
    for (const part of delta.content) {
      if (part.thinking !== undefined) {
        yield* think(textIn(part.thinking), reply);
        if (part.signature) yield { type: 'thinking_signature', signature: part.signature };
      } else yield* say(part.text ?? '', reply);
    }
  }
  if (delta.refusal) {
    reply.refused = true;
    yield* say(delta.refusal, reply);
  }
  const pieces = delta.tool_calls ?? (delta.function_call ? [{ function: delta.function_call }] : []);
  if (pieces.length > 0) {
    yield* endText(reply);
    yield* endThought(reply);
  }
  for (const [position, piece] of pieces.entries()) {
    const index = piece.index ?? (pieces.length > 1 ? position : undefined);
    yield* pieceToEvents({ ...piece, ...(index === undefined ? {} : { index }) }, reply);
  }
}

function* say(text: string, reply: ChatReply): Generator<ProviderEvent> {
  const { splitter } = reply;
  if (text) yield* endThought(reply);
  if (splitter) yield* splitter.push(text);
  else if (text) yield { type: 'text', text };
}

function* think(text: string, reply: ChatReply): Generator<ProviderEvent> {
  yield* endText(reply);
  if (text) yield { type: 'thinking', text };
}

function* endThought(reply: ChatReply): Generator<ProviderEvent> {
  const { details } = reply;
  if (details.length === 0) return;
  reply.details = [];
  yield { type: 'thinking_signature', signature: JSON.stringify(details) };
}

function* endText(reply: ChatReply): Generator<ProviderEvent> {
  const { splitter } = reply;
  reply.splitter = undefined;
  if (splitter) yield* splitter.end();
}

/** Thinking may be a string or a list of text parts. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value.map((part: ContentPart) => part.text ?? '').join('');
}

function* pieceToEvents(piece: CallPiece, reply: ChatReply): Generator<ProviderEvent> {
  const json = argumentsOf(piece.function?.arguments);
  const call = callOf(piece, json, reply.calls);
  if (piece.id) call.id ??= piece.id;
  if (!call.started) call.name = joinName(call.name, piece.function?.name ?? '');
  if (json === '') return;
  // Only the first argument fragment proves that the name is complete. Earlier calls without arguments must
  // keep their place.
  for (const other of reply.calls) {
    if (other.name !== '') yield* start(other, reply.names);
    if (other === call) break;
  }
  call.json += json;
  yield { type: 'tool_call_delta', key: call.key, json };
}

function* start(call: OpenCall, names: WireNames): Generator<ProviderEvent> {
  if (call.started) return;
  call.started = true;
  const { key, id, name } = call;
  yield { type: 'tool_call_start', key, ...(id ? { id } : {}), name: names.fromWire(name) };
}

/** The call a fragment belongs to; a new one if index, id or name indicate it. */
function callOf(piece: CallPiece, json: string, calls: OpenCall[]): OpenCall {
  const { index, id } = piece;
  const known =
    typeof index === 'number'
      ? calls.findLast((call) => call.index === index)
      : ((id ? calls.findLast((call) => call.id === id) : undefined) ?? calls.at(-1));
  if (known && !beginsAnother(piece, json, known)) return known;

  const call: OpenCall = { key: String(calls.length), name: '', json: '', started: false };
  if (typeof index === 'number') call.index = index;
  calls.push(call);
  return call;
}

/**
 * Some servers give every call index 0, or no index at all. A name marks a new call if it comes with another
 * id, or if the known call is already complete.
 */
function beginsAnother(piece: CallPiece, json: string, known: OpenCall): boolean {
  const name = piece.function?.name;
  if (!name) return false;
  if (piece.id && known.id) return piece.id !== known.id;
  return known.started && (name !== known.name || (json !== '' && isComplete(known.json)));
}

/** A name may arrive complete, in fragments, cumulatively, or repeated with every fragment. */
function joinName(soFar: string, piece: string): string {
  return piece.startsWith(soFar) ? piece : soFar + piece;
}

/** Some servers send the arguments as an object instead of a string. */
function argumentsOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isComplete(json: string): boolean {
  return parseJson(json) !== undefined;
}

/** Also the reasons that single vendors add; `broken`: the vendor failed, and another attempt may succeed. */
const FINISHES: Readonly<Record<string, StopReason | 'broken'>> = {
  length: 'max_tokens',
  model_context_window_exceeded: 'max_tokens',
  content_filter: 'refusal',
  sensitive: 'refusal',
  insufficient_system_resource: 'broken',
  network_error: 'broken',
  error: 'broken',
};

/** Why a reply that has ended is not an answer. */
export function brokenFinish({ finish = '' }: ChatReply): string | undefined {
  return FINISHES[finish] === 'broken' ? finish : undefined;
}

function stopOf({ finish = '', calls, refused }: ChatReply): ProviderEvent {
  const reason = FINISHES[finish];
  if (reason === 'refusal') return { type: 'stop', reason, refusal: { category: finish } };
  if (refused) return { type: 'stop', reason: 'refusal' };
  if (reason === 'max_tokens') return { type: 'stop', reason };
  return { type: 'stop', reason: calls.length > 0 ? 'tool_calls' : 'end' };
}

function usageOf(usage: ChatUsage): Usage {
  const { cached_tokens, cache_write_tokens = 0 } = usage.prompt_tokens_details ?? {};
  const cacheReadTokens = cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  return {
    inputTokens: Math.max(0, (usage.prompt_tokens ?? 0) - cacheReadTokens - cache_write_tokens),
    outputTokens: usage.completion_tokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens: cache_write_tokens,
  };
}
