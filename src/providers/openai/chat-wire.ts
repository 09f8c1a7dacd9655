import { createHash } from 'node:crypto';
import type { ChatCompletionCreateParamsStreaming, ChatCompletionMessageParam } from 'openai/resources/chat';
import type { AssistantMessage, ImagePart, Message, TextPart } from '../../contract/message.ts';
import { textOf, toolCallsOf } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { type Effort, effortLevelsOf, fitEffort } from '../../contract/request/effort.ts';
import type { ProviderOptions } from '../options.ts';
import { summarySection, systemWithSummary } from '../summary.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import { resultText } from '../tool-results.ts';
import { type ThoughtQuirks, thoughtsToWire } from './chat-thoughts.ts';

/** How a vendor's chat endpoint differs from the standard. */
export type ChatQuirks = ThoughtQuirks & {
  /** Rejects `stream_options`; usage arrives only if sent unprompted. */
  noStreamOptions?: true;
  /** Takes the output limit as `max_completion_tokens`. */
  maxCompletionTokens?: true;
  /**
   * How the effort is sent; default: as `reasoning_effort`. `thinking`: no thinking, and thinking without levels, is a
   * switch of this name. `reasoning`: an object of this name. `template`: also to the model's chat template, which can
   * turn thinking off.
   */
  effortAs?: 'thinking' | 'reasoning' | 'template';
  /** Drops the thinking of earlier turns unless the switch `thinking` keeps it. */
  preservesThinking?: true;
  /** Rejects `temperature` for thinking models. */
  noTemperatureWhenThinking?: true;
  /** Routes by `prompt_cache_key`. */
  promptCacheKey?: true;
  /** Models whose prompts are cached up to markers in the request, as in Anthropic's own API. */
  cacheControlFor?: RegExp;
  /** Accepts only call ids of nine letters and digits. */
  nineCharacterIds?: true;
  /** Rejects a user message right after a tool result. */
  assistantAfterTool?: true;
  /** Accepts a second system message. Many chat templates reject one, so by default there is only one. */
  secondSystemMessage?: true;
  /** How thinking is embedded in the text; default: `tags`. */
  think?: 'tags' | 'bare' | 'unknown';
};

export type ChatOptions = ProviderOptions & { quirks?: ChatQuirks };

type Wire = Pick<ChatOptions, 'name'> & {
  model: string;
  quirks: ChatQuirks;
  names: WireNames;
  images: boolean;
  hasTools: boolean;
};

type WireMessage = ChatCompletionMessageParam;

export function toWire(
  request: CompletionRequest,
  options: ChatOptions,
): ChatCompletionCreateParamsStreaming {
  const { quirks = {}, name } = options;
  const { model, tools = [], maxTokens, temperature, stopSequences, cacheKey, replySchema } = request;
  const info = options.infoOf(model);
  const { abilities, maxOutputTokens } = info;
  const names = wireNames(tools);
  const wire: Wire = { name, model, quirks, names, images: abilities.images, hasTools: tools.length > 0 };
  const limit = maxTokens === undefined ? undefined : Math.min(maxTokens, maxOutputTokens);
  const cool = quirks.noTemperatureWhenThinking === true && abilities.thinking;
  const marks = quirks.cacheControlFor?.test(model) === true;
  const said = messagesToWire(request.messages, wire);

  return {
    model,
    stream: true,
    messages: marks
      ? [...markedSystem(request), ...withMarks(said)]
      : [...systemToWire(request, quirks), ...said],
    ...(quirks.noStreamOptions ? {} : { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({
        type: 'function' as const,
        function: {
          name: names.toWire(tool.name),
          description: tool.description,
          parameters: tool.parameters,
        },
      })),
    }),
    ...(limit !== undefined && {
      [quirks.maxCompletionTokens ? 'max_completion_tokens' : 'max_tokens']: limit,
    }),
    ...(temperature !== undefined && !cool && { temperature }),
    ...(stopSequences?.length && { stop: [...stopSequences] }),
    ...effortToWire(fitEffort(effortNow(request), info), info, quirks),
    ...(cacheKey && quirks.promptCacheKey && { prompt_cache_key: cacheKey }),
    ...(options.tier && {
      service_tier: options.tier as NonNullable<ChatCompletionCreateParamsStreaming['service_tier']>,
    }),
    ...(replySchema && {
      response_format: { type: 'json_schema', json_schema: { name: 'reply', schema: replySchema } },
    }),
  };
}

function effortToWire(effort: Effort | undefined, info: ModelInfo, quirks: ChatQuirks): object {
  switch (quirks.effortAs) {
    case undefined:
      return effort === undefined ? {} : { reasoning_effort: effort };
    case 'reasoning':
      if (effort === undefined) return {};
      return { reasoning: effort === 'none' ? { enabled: false } : { effort } };
    case 'template':
      if (effort === undefined) return {};
      if (effort === 'none') return { chat_template_kwargs: { enable_thinking: false } };
      return {
        reasoning_effort: effort,
        chat_template_kwargs: { enable_thinking: true, reasoning_effort: effort },
      };
    case 'thinking':
      return thinkingSwitch(effort, info, quirks);
    default:
      return quirks.effortAs satisfies never;
  }
}

function thinkingSwitch(
  effort: Effort | undefined,
  info: ModelInfo,
  { preservesThinking }: ChatQuirks,
): object {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  const hasLevels = effortLevelsOf(info).levels.filter((level) => level !== 'none').length > 1;
  const preserves = preservesThinking && info.abilities.thinking;
  const isNamed = preserves || (effort !== undefined && !hasLevels);
  return {
    ...(isNamed && { thinking: { type: 'enabled', ...(preserves && { clear_thinking: false }) } }),
    ...(effort !== undefined && hasLevels && { reasoning_effort: effort }),
  };
}

function systemToWire(request: CompletionRequest, { secondSystemMessage }: ChatQuirks): WireMessage[] {
  const texts = secondSystemMessage
    ? [request.system, summarySection(request) ?? '']
    : [systemWithSummary(request)];
  return texts.filter((text) => text !== '').map((content) => ({ role: 'system', content }));
}

const CACHED = { cache_control: { type: 'ephemeral' } };

/** In addition to those of the system prompt; a request may have four in total. */
const MESSAGE_MARKS = 2;

/** The summary is a separate part, so that everything before it stays cached when it changes. */
function markedSystem(request: CompletionRequest): WireMessage[] {
  const texts = [request.system, summarySection(request) ?? ''].filter((text) => text !== '');
  const content = texts.map((text) => ({ type: 'text' as const, text, ...CACHED }));
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

/**
 * Marks the end of the last two turns, tool results included. All user and tool messages become lists of
 * parts, the only place for a marker, so that a message stays the same when the markers advance.
 */
function withMarks(messages: readonly WireMessage[]): WireMessage[] {
  const inParts = messages.map(asParts);
  const spoken = inParts.filter((message) => message.role === 'assistant' || hasText(message));
  const ends = spoken.filter(
    ({ role }, i) => role !== 'assistant' && (spoken[i + 1]?.role ?? 'assistant') === 'assistant',
  );
  const marked = new Set(ends.slice(-MESSAGE_MARKS));
  return inParts.map((message) => (marked.has(message) ? withMark(message) : message));
}

function asParts(message: WireMessage): WireMessage {
  const { role, content } = message;
  if (role === 'assistant' || typeof content !== 'string') return message;
  return { ...message, content: [{ type: 'text', text: content }] } as WireMessage;
}

function hasText({ content }: WireMessage): boolean {
  return Array.isArray(content) && content.some(isText);
}

function withMark(message: WireMessage): WireMessage {
  const parts = Array.isArray(message.content) ? message.content : [];
  const last = parts.findLastIndex(isText);
  const content = parts.map((part, i) => (i === last ? { ...part, ...CACHED } : part));
  // The official types have no markers.
  return { ...message, content } as WireMessage;
}

/** Empty text with a marker is rejected. */
function isText(part: { type: string; text?: string }): boolean {
  return part.type === 'text' && part.text !== '';
}

/** Results of one turn must directly follow their calls, so their images come after the last result. */
function messagesToWire(messages: readonly Message[], wire: Wire): WireMessage[] {
  const out: WireMessage[] = [];
  let pictures: (TextPart | ImagePart)[] = [];
  const pushUser = (content: readonly (TextPart | ImagePart)[]) => {
    if (wire.quirks.assistantAfterTool && out.at(-1)?.role === 'tool') {
      out.push({ role: 'assistant', content: 'I have the results.' });
    }
    out.push({ role: 'user', content: userContent(content, wire) });
  };
  const showPictures = () => {
    if (pictures.length > 0) pushUser(pictures);
    pictures = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') showPictures();
    if (message.role === 'user') pushUser(message.content);
    if (message.role === 'assistant') out.push(...assistantToWire(message, wire));
    if (message.role === 'tool') {
      const images = message.content.filter((part) => part.type === 'image');
      if (images.length > 0)
        pictures.push({ type: 'text', text: `What ${message.name} returned:` }, ...images);
      out.push({
        role: 'tool',
        tool_call_id: idToWire(message.callId, wire),
        content: resultText(message) || (images.length > 0 ? 'See the image below.' : '(no output)'),
      });
    }
  }
  showPictures();
  return out;
}

function userContent(content: readonly (TextPart | ImagePart)[], wire: Wire) {
  const parts = content.map((part) => {
    if (part.type === 'text') return { type: 'text' as const, text: part.text };
    if (!wire.images)
      return { type: 'text' as const, text: '[Image omitted: this model does not support images.]' };
    return {
      type: 'image_url' as const,
      image_url: { url: `data:${part.mediaType};base64,${part.data}` },
    };
  });
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  // Many small servers support only strings.
  return texts.length === parts.length ? texts.join('\n') : parts;
}

function assistantToWire(message: AssistantMessage, wire: Wire): WireMessage[] {
  const text = textOf(message);
  const calls = toolCallsOf(message);
  if (!text && calls.length === 0) return [];
  return [
    // The official types have no fields for thinking.
    {
      role: 'assistant',
      content: text || null,
      ...thoughtsToWire(message, wire),
      ...(calls.length > 0 && {
        tool_calls: calls.map((call) => ({
          id: idToWire(call.id, wire),
          type: 'function' as const,
          function: { name: wire.names.toWire(call.name), arguments: JSON.stringify(call.input ?? {}) },
        })),
      }),
    } as WireMessage,
  ];
}

/** A session may contain ids from another vendor; the mapping is deterministic. */
function idToWire(id: string, { quirks }: Wire): string {
  if (quirks.nineCharacterIds) return /^[a-zA-Z0-9]{9}$/.test(id) ? id : shortened(id, 9);
  return id.length <= 40 ? id : shortened(id, 40);
}

function shortened(id: string, length: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
