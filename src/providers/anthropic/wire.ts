import type Anthropic from '@anthropic-ai/sdk';
import type {
  AssistantMessage,
  ImagePart,
  TextPart,
  ToolMessage,
  UserMessage,
} from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { VendorSummary } from '../../contract/request/vendor-summary.ts';
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
const CACHED: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };
const CACHED_FOR_AN_HOUR: Anthropic.CacheControlEphemeral = { type: 'ephemeral', ttl: '1h' };
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

type WireMessage = Anthropic.MessageParam | SystemTurn;

export type WireRequest = Omit<Anthropic.MessageCreateParamsStreaming, 'messages'> &
  ThinkingFields & { messages: WireMessage[]; compaction?: { type: 'summarize' } };

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
  if (lastTool && system.length < FIXED_BREAKPOINTS) lastTool.cache_control = cached(request);
  return {
    model: request.model,
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system }),
    messages: toMessages(request, { ...options, names, plan }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(request.stopSequences?.length ? { stop_sequences: [...request.stopSequences] } : {}),
    ...(request.summarize && { compaction: { type: 'summarize' as const } }),
    ...(options.noNotes ? thinking : withNotes(thinking, request.model)),
    ...(options.tier && { service_tier: options.tier as NonNullable<WireRequest['service_tier']> }),
    stream: true,
  };
}

function cached({ cacheLifetime }: CompletionRequest): Anthropic.CacheControlEphemeral {
  return cacheLifetime === '1h' ? CACHED_FOR_AN_HOUR : CACHED;
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
    .map((text) => ({ type: 'text', text, cache_control: cached(request) }));
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
      last.cache_control = cached(request);
  }
  return [...summaryTurn(request.vendorSummary, options), ...turns.flatMap(toWireMessages)];
}

/** The block that the vendor made of an earlier part of the conversation, in front of the rest. */
function summaryTurn(summary: VendorSummary | undefined, { name }: Pick<WireOptions, 'name'>): WireMessage[] {
  if (summary?.provider !== name) return [];
  return [{ role: 'assistant', content: summary.items as Anthropic.ContentBlockParam[] }];
}

function toWireMessages(turn: Turn | EffortMessage): WireMessage[] {
  if (turn.role === 'system') return [turn];
  const { system, ...said } = turn;
  return [said, ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system }])];
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
  const isClaude = message.model.includes('claude-');
  const blocks = message.content.flatMap((part): Block[] => {
    if (part.type === 'text') return textBlocks(part);
    if (part.type === 'tool_call')
      return [
        { type: 'tool_use', id: wireId(part.id), name: names.toWire(part.name), input: objectOf(part.input) },
      ];
    if (!thoughts) return [];
    // Compatible servers may not sign what they want back.
    if (part.signature === undefined && (isClaude || part.text === '')) return [];
    const { signature = '' } = part;
    return part.redacted
      ? [{ type: 'redacted_thinking', data: signature }]
      : [{ type: 'thinking', thinking: part.text, signature }];
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
