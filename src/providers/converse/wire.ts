import type {
  AssistantMessage,
  ImagePart,
  TextPart,
  ToolMessage,
  UserMessage,
} from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { fitEffort } from '../../contract/request/effort.ts';
import { isObject } from '../../lib/text/json.ts';
import type { ProviderOptions } from '../options.ts';
import { summarySection } from '../summary.ts';
import { type WireNames, wireNames } from '../tool-names.ts';

const MAX_OUTPUT_TOKENS = 32_000;
/** Ends of the last turns that are marked for caching, so that the previous request's end is found again. */
const MESSAGE_MARKS = 2;
const MARK = { cachePoint: { type: 'default' } };
/** Other models reject marks. */
const CACHES = /(^|\.)(amazon\.nova|anthropic\.claude)-/;

type Image = { image: { format: string; source: { bytes: string } } };
type Block =
  | { text: string }
  | Image
  | { toolUse: { toolUseId: string; name: string; input: unknown } }
  | { toolResult: { toolUseId: string; content: ({ text: string } | Image)[]; status: 'success' | 'error' } }
  | {
      reasoningContent: { reasoningText: { text: string; signature?: string } } | { redactedContent: string };
    }
  | typeof MARK;
type Turn = { role: 'user' | 'assistant'; content: Block[] };
type WireOptions = Pick<ProviderOptions, 'name' | 'infoOf'>;

export type ConverseRequest = {
  system?: ({ text: string } | typeof MARK)[];
  messages: Turn[];
  toolConfig?: { tools: { toolSpec: ToolSpec }[] };
  inferenceConfig: { maxTokens: number; temperature?: number; stopSequences?: string[] };
  additionalModelRequestFields?: Record<string, unknown>;
};

type ToolSpec = { name: string; description: string; inputSchema: { json: unknown } };

/** Bedrock's own request format, the same for the models of all vendors. */
export function toWire(request: CompletionRequest, options: WireOptions): ConverseRequest {
  const { model, tools = [], temperature, stopSequences } = request;
  const info = options.infoOf(model);
  const names = wireNames(tools);
  const marks = CACHES.test(model);
  const system = [request.system, summarySection(request) ?? ''].filter((text) => text !== '');
  const more = thinkingFields(request, info);
  return {
    ...(system.length > 0 && { system: system.flatMap((text) => (marks ? [{ text }, MARK] : [{ text }])) }),
    messages: toTurns(request, { ...options, names, marks }),
    ...(tools.length > 0 && {
      toolConfig: {
        tools: tools.map((tool) => ({
          toolSpec: {
            name: names.toWire(tool.name),
            description: tool.description,
            inputSchema: { json: { ...tool.parameters, type: 'object' } },
          },
        })),
      },
    }),
    inferenceConfig: {
      maxTokens: request.maxTokens ?? Math.min(info.maxOutputTokens, MAX_OUTPUT_TOKENS),
      ...(temperature !== undefined && !more && { temperature }),
      ...(stopSequences?.length && { stopSequences: [...stopSequences] }),
    },
    ...(more && { additionalModelRequestFields: more }),
  };
}

/** Each vendor has its own field for the effort; other models choose it themselves. */
function thinkingFields(request: CompletionRequest, info: ModelInfo): Record<string, unknown> | null {
  const { model } = request;
  const effort = fitEffort(effortNow(request), info);
  if (effort === undefined) return null;
  if (/(^|\.)openai\./.test(model)) return { reasoning_effort: effort };
  if (/(^|\.)amazon\.nova-2/.test(model))
    return { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } };
  return null;
}

type TurnOptions = WireOptions & { names: WireNames; marks: boolean };

/** Turns alternate: tool results and the user's text after them are one turn. */
function toTurns(request: CompletionRequest, options: TurnOptions): Turn[] {
  const { abilities } = options.infoOf(request.model);
  const turns: Turn[] = [];
  for (const message of request.messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content =
      message.role === 'assistant'
        ? assistantBlocks(message, request, options)
        : message.role === 'tool'
          ? [toolResult(message, abilities.images)]
          : plainBlocks(message.content, abilities.images);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  const ends = options.marks ? turns.filter(({ role }) => role === 'user').slice(-MESSAGE_MARKS) : [];
  for (const turn of ends) turn.content.push(MARK);
  return turns;
}

function assistantBlocks(
  message: AssistantMessage,
  { model }: CompletionRequest,
  { name, names }: TurnOptions,
): Block[] {
  // A signature is valid only for the model that produced the thinking.
  const keeps = message.provider === name && message.model === model;
  const blocks = message.content.flatMap((part): Block[] => {
    if (part.type === 'text') return textBlocks(part);
    if (part.type === 'tool_call') {
      const input = isObject(part.input) ? part.input : {};
      return [{ toolUse: { toolUseId: wireId(part.id), name: names.toWire(part.name), input } }];
    }
    if (!keeps || part.signature === undefined) return [];
    return part.redacted
      ? [{ reasoningContent: { redactedContent: part.signature } }]
      : [{ reasoningContent: { reasoningText: { text: part.text, signature: part.signature } } }];
  });
  return blocks.some((block) => 'text' in block || 'toolUse' in block) ? blocks : [];
}

function toolResult(message: ToolMessage, images: boolean): Block {
  const content = plainBlocks(message.content, images);
  const empty = message.success ? 'The call returned nothing.' : 'The call failed without a message.';
  return {
    toolResult: {
      toolUseId: wireId(message.callId),
      content: content.length > 0 ? content : [{ text: empty }],
      status: message.success ? 'success' : 'error',
    },
  };
}

function plainBlocks(content: UserMessage['content'], images: boolean): ({ text: string } | Image)[] {
  return content.flatMap((part) => (part.type === 'text' ? textBlocks(part) : [imageBlock(part, images)]));
}

function imageBlock({ mediaType, data }: ImagePart, images: boolean): { text: string } | Image {
  if (!images) return { text: '[Image omitted: this model does not support images.]' };
  return { image: { format: mediaType.replace(/^image\//, ''), source: { bytes: data } } };
}

/** Text without a visible character is rejected. */
function textBlocks({ text }: TextPart): { text: string }[] {
  return text.trim() === '' ? [] : [{ text }];
}

const wireId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
