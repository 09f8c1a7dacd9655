import { isDeepStrictEqual } from 'node:util';
import type Anthropic from '@anthropic-ai/sdk';
import {
  type AssistantMessage,
  type ImagePart,
  noUsage,
  type TextPart,
  type ToolMessage,
  type Usage,
  type UserMessage,
} from '../../contract/message.ts';
import type {
  CompletionRequest,
  InputTransformation,
  ProviderEvent,
  ToolDefinition,
} from '../../contract/provider.ts';
import { isObject } from '../../lib/text/json.ts';
import type { ProviderOptions } from '../options.ts';
import { summarySection } from '../summary.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import { type EffortMessage, type EffortPlan, effortPlan } from './effort.ts';
import { takesSystemMessages } from './mid-conversation.ts';
import { type ThinkingFields, thinkingFor, withNotes } from './thinking.ts';

/** Enough for a long file in one call; the model's full limit would only delay the end of a runaway reply. */
const MAX_OUTPUT_TOKENS = 32_000;
/** Recommended for the highest efforts: thinking counts as output. */
const MAX_OUTPUT_WHEN_THINKING_HARD = 64_000;
/**
 * The vendor allows four breakpoints and searches about twenty blocks back from each. With two in the
 * messages, the end of the previous request is found however many results were added since. The other two
 * cover the part that is the same in every request.
 */
const MESSAGE_BREAKPOINTS = 2;
const FIXED_BREAKPOINTS = 2;
const CACHED = { type: 'ephemeral' } as const;
const MAX_SEARCHES = 1;

type Block = Anthropic.ContentBlockParam;
type ResultBlock = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;
/** `noNotes`: the server does not know the display that shows progress notes. */
type WireOptions = Pick<ProviderOptions, 'name' | 'infoOf' | 'endpoint' | 'tier'> & { noNotes?: boolean };

/** The SDK types have no system messages; they follow a turn of the user. */
type SystemTurn = { role: 'system'; content: SystemBlock[] } | EffortMessage;
type SystemBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_removal'; tool: { type: 'tool_reference'; name: string } }
  | { type: 'tool_addition'; tool: { type: 'tool_definition'; definition: Anthropic.Tool } };

export type WireMessage = Anthropic.MessageParam | SystemTurn;

export type WireRequest = Omit<Anthropic.MessageCreateParamsStreaming, 'messages'> &
  ThinkingFields & { messages: WireMessage[] };

export function toWire(request: CompletionRequest, options: WireOptions): WireRequest {
  const info = options.infoOf(request.model);
  const plan = effortPlan(request, options);
  const { effort } = plan;
  const isHard = effort === 'xhigh' || effort === 'max';
  const usual = isHard ? MAX_OUTPUT_WHEN_THINKING_HARD : MAX_OUTPUT_TOKENS;
  const maxTokens = request.maxTokens ?? Math.min(info.maxOutputTokens, usual);
  const names = wireNames(request.tools ?? []);
  const tools = [...toTools(request, names), ...serverTools(request)];
  const system = toSystem(request);
  const thinking = thinkingFor({ ...request, effort }, info, maxTokens);
  const lastTool = tools.at(-1);
  if (lastTool && system.length < FIXED_BREAKPOINTS) lastTool.cache_control = CACHED;
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system }),
    messages: toMessages(request, { ...options, names, plan }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(request.stopSequences?.length ? { stop_sequences: [...request.stopSequences] } : {}),
    ...(options.noNotes ? thinking : withNotes(thinking, request.model)),
    ...(options.tier && { service_tier: options.tier as NonNullable<WireRequest['service_tier']> }),
    stream: true,
  };
}

function toTools(request: CompletionRequest, names: WireNames): Anthropic.Tool[] {
  return (request.tools ?? []).map((tool) => toTool(tool, names));
}

function toTool({ name, description, parameters }: ToolDefinition, names: WireNames): Anthropic.Tool {
  return { name: names.toWire(name), description, input_schema: toSchema(parameters) };
}

/** The oldest version works with every model that can search, and takes no other tool along. */
function serverTools({ webSearch }: CompletionRequest): Anthropic.WebSearchTool20250305[] {
  if (!webSearch) return [];
  const { allowedDomains, blockedDomains } = webSearch;
  // The vendor rejects both lists together.
  const domains =
    allowedDomains.length > 0
      ? { allowed_domains: [...allowedDomains] }
      : blockedDomains.length > 0 && { blocked_domains: [...blockedDomains] };
  return [{ type: 'web_search_20250305', name: 'web_search', max_uses: MAX_SEARCHES, ...domains }];
}

/** The summary is a separate block, so that everything before it stays cached when it changes. */
function toSystem(request: CompletionRequest): Anthropic.TextBlockParam[] {
  return [request.system, summarySection(request) ?? '']
    .filter((text) => text !== '')
    .map((text) => ({ type: 'text', text, cache_control: CACHED }));
}

/** The API rejects alternatives (anyOf etc.) at the top level; the tool validates its input anyway. */
function toSchema(parameters: Record<string, unknown>): Anthropic.Tool.InputSchema {
  const { oneOf: _one, anyOf: _any, allOf: _all, ...schema } = parameters;
  return { ...schema, type: 'object' };
}

type Turn = { role: 'user' | 'assistant'; content: Block[]; system: SystemBlock[] };

/**
 * Tool results go in the user's turn, before any text of the user. What the program itself states follows the turn as a
 * system message where the model takes one.
 */
function toMessages(
  request: CompletionRequest,
  { names, plan, ...options }: WireOptions & { names: WireNames; plan: EffortPlan },
): WireMessage[] {
  const images = options.infoOf(request.model).abilities.images;
  const hasSystem = takesSystemMessages(request.model);
  const turns: (Turn | EffortMessage)[] = [];
  for (const message of request.messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks =
      message.role === 'assistant'
        ? assistantBlocks(message, names, keepsThinking(message, request, options))
        : message.role === 'tool'
          ? [toolResult(message, images)]
          : plainBlocks(
              message.content.filter((part) => !hasSystem || !isStatement(part)),
              images,
            );
    const system = hasSystem && message.role === 'user' ? systemBlocks(message, names) : [];
    if (blocks.length === 0 && system.length === 0) continue;

    const turn = turns.at(-1);
    if (message.role === 'user') plan.note(message);
    // Nothing may stand between calls and their results, so that a change in such a turn waits for the next one.
    const change = message.role === 'user' && turn?.role === 'assistant' ? plan.change() : null;
    if (change) turns.push(change);
    if (turn && turn.role !== 'system' && turn.role === role) {
      turn.content.push(...blocks);
      turn.system.push(...system);
    } else turns.push({ role, content: blocks, system });
  }
  for (const turn of turns) {
    if (turn.role === 'user') turn.content.sort((a, b) => rank(a) - rank(b));
  }
  const prompts = turns.filter((turn): turn is Turn => turn.role === 'user');
  for (const turn of prompts.slice(-MESSAGE_BREAKPOINTS)) {
    const last = turn.content.at(-1);
    if (last && (last.type === 'text' || last.type === 'image' || last.type === 'tool_result'))
      last.cache_control = CACHED;
  }
  return turns.flatMap((turn): WireMessage[] => {
    if (turn.role === 'system') return [turn];
    const { system, ...said } = turn;
    return [said, ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system }])];
  });
}

/** Whether a part is in the program's own words: never text of files, servers or other people. */
function isStatement(part: TextPart | ImagePart): part is TextPart {
  return part.type === 'text' && part.update?.trusted === true;
}

function systemBlocks({ content }: UserMessage, names: WireNames): SystemBlock[] {
  const statements = content.filter(isStatement);
  const changes = content.flatMap((part) => (part.type === 'text' ? (part.update?.tools ?? []) : []));
  return [
    ...changes.flatMap(({ added, removed }): SystemBlock[] => [
      ...removed.map((name) => ({
        type: 'tool_removal' as const,
        tool: { type: 'tool_reference' as const, name: names.toWire(name) },
      })),
      ...added.map((tool) => ({
        type: 'tool_addition' as const,
        tool: { type: 'tool_definition' as const, definition: toTool(tool, names) },
      })),
    ]),
    ...statements.map(({ text }) => ({ type: 'text' as const, text })),
  ];
}

const rank = (block: Block): number => (block.type === 'tool_result' ? 0 : 1);

/**
 * A signature is valid only for the vendor that produced the thinking. Claude models read the thinking of one another, or
 * the vendor leaves out what the model cannot read.
 */
function keepsThinking(
  message: AssistantMessage,
  { model }: CompletionRequest,
  { name, infoOf }: WireOptions,
): boolean {
  if (message.provider !== name || !infoOf(model).abilities.thinking) return false;
  return message.model === model || [message.model, model].every((one) => one.includes('claude-'));
}

function assistantBlocks(message: AssistantMessage, names: WireNames, thoughts: boolean): Block[] {
  const blocks = message.content.flatMap((part): Block[] => {
    if (part.type === 'text') return textBlocks(part);
    if (part.type === 'tool_call')
      return [
        { type: 'tool_use', id: wireId(part.id), name: names.toWire(part.name), input: objectOf(part.input) },
      ];
    if (!thoughts || part.signature === undefined) return [];
    return part.redacted
      ? [{ type: 'redacted_thinking', data: part.signature }]
      : [{ type: 'thinking', thinking: part.text, signature: part.signature }];
  });
  // A turn with only thinking is rejected.
  return blocks.some((block) => block.type === 'text' || block.type === 'tool_use') ? blocks : [];
}

function toolResult(message: ToolMessage, images: boolean): Anthropic.ToolResultBlockParam {
  const content = plainBlocks(message.content, images);
  // An empty error result is rejected.
  if (!message.success && content.length === 0)
    content.push({ type: 'text', text: 'The call failed without a message.' });
  return {
    type: 'tool_result',
    tool_use_id: wireId(message.callId),
    ...(content.length === 0 ? {} : { content }),
    ...(message.success ? {} : { is_error: true }),
  };
}

function plainBlocks(content: readonly (TextPart | ImagePart)[], images: boolean): ResultBlock[] {
  return content.flatMap((part): ResultBlock[] => {
    if (part.type === 'text') return textBlocks(part);
    if (!images) return [{ type: 'text', text: '[Image omitted: this model does not support images.]' }];
    return [
      {
        type: 'image',
        source: {
          type: 'base64',
          // The vendor accepts only a few media types and reports any other itself.
          media_type: part.mediaType as Anthropic.Base64ImageSource['media_type'],
          data: part.data,
        },
      },
    ];
  });
}

/** Text without a visible character is rejected. */
function textBlocks(part: TextPart): Anthropic.TextBlockParam[] {
  return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
}

/** Ids from other vendors may contain characters that this one rejects. */
const wireId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');

function objectOf(input: unknown): unknown {
  return isObject(input) ? input : {};
}

/** State of one reply. `notes`: the text of a thought is a progress note. `open` holds the blocks still arriving, by index. */
export type ReplyState = {
  notes: boolean;
  names: WireNames;
  usage: Usage;
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
    | (Partial<Anthropic.MessageDeltaUsage> & Pick<Partial<Anthropic.Usage>, 'cache_creation'>)
    | undefined,
  state: ReplyState,
): Generator<ProviderEvent> {
  if (!usage) return;
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? state.usage.cacheWriteHourTokens;
  state.usage = {
    inputTokens: usage.input_tokens ?? state.usage.inputTokens,
    outputTokens: usage.output_tokens ?? state.usage.outputTokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? state.usage.cacheReadTokens,
    cacheWriteTokens: usage.cache_creation_input_tokens ?? state.usage.cacheWriteTokens,
    ...(hour && { cacheWriteHourTokens: hour }),
  };
  yield { type: 'usage', usage: state.usage };
}
