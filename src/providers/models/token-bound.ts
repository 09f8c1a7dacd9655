import type { AssistantMessage, Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { imageOf } from '../../lib/images/image-kind.ts';

const PER_REQUEST = 50;
/** Vendors explain calls to their model if there are tools. The longest known explanation has about 700 tokens. */
const PER_TOOLS = 800;
/** Roles, separators and tags around messages, calls, arguments and definitions. */
const PER_MESSAGE = 16;
const PER_CALL = 64;
const PER_ARGUMENT = 16;
const PER_TOOL = 48;
/**
 * Vendors count squares of 28 or 32 pixels, some of them as up to 2.46 tokens each, or tiles of 512 or 768 pixels after
 * scaling to a usual size, at most 2,240 tokens for a small image.
 */
const PATCH_SIDE = 28;
const TOKENS_PER_PATCH = 2.5;
const FEWEST_PER_IMAGE = 2_500;
/** A side nobody accepts more of, for an image whose size cannot be read. */
const LONGEST_SIDE = 8_000;
/** This model counts each tile of an image as 5,667 tokens, and an image has at most eight. */
const COSTLY_IMAGES = /gpt-4o-mini/;
const COSTLY_IMAGE = 2_833 + 8 * 5_667;
/** The results of a vendor's own search are part of the prompt. No vendor states a maximum. */
const SEARCH_RESULTS = 30_000;

/**
 * More tokens than the prompt can have, whatever its text and the vendor's tokenizer: a token stands for at least one byte.
 * Several times too high for plain prose.
 */
export function boundTokens({
  model,
  system,
  summary = '',
  vendorSummary,
  messages,
  tools = [],
  webSearch,
}: CompletionRequest): number {
  const fixed = textBound(system) + textBound(summary) + kept(tools, toolsBound);
  const summarized = vendorSummary ? kept(vendorSummary.items, jsonBound) : 0;
  return PER_REQUEST + fixed + summarized + (webSearch ? SEARCH_RESULTS : 0) + boundMessages(messages, model);
}

/** The same for messages alone. */
export function boundMessages(messages: readonly Message[], model: string): number {
  const images = COSTLY_IMAGES.test(model)
    ? messages.reduce((sum, message) => sum + imagesIn(message), 0)
    : 0;
  return messages.reduce((sum, message) => sum + kept(message, messageBound), images * COSTLY_IMAGE);
}

const bounds = new WeakMap<object, number>();

/** Messages and tool lists are immutable once sent. */
function kept<T extends object>(value: T, bound: (value: T) => number): number {
  const known = bounds.get(value);
  if (known !== undefined) return known;
  const tokens = bound(value);
  bounds.set(value, tokens);
  return tokens;
}

/** Some tokenizers normalize the text first, which lengthens a few characters. */
export function textBound(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes === text.length ? bytes : Math.max(bytes, Buffer.byteLength(text.normalize('NFKC')));
}

function jsonBound(value: unknown): number {
  return textBound(JSON.stringify(value) ?? '');
}

function toolsBound(tools: readonly ToolDefinition[]): number {
  return tools.length === 0 ? 0 : PER_TOOLS + jsonBound(tools) + tools.length * PER_TOOL;
}

function messageBound(message: Message): number {
  const parts = message.content.reduce((sum, part) => sum + partBound(part), PER_MESSAGE);
  // Reasoning may be sent back longer than the text that the vendor showed of it.
  return message.role === 'assistant' ? Math.max(parts, PER_MESSAGE + repliedTokens(message)) : parts;
}

function repliedTokens({ usage, content }: AssistantMessage): number {
  return (usage?.outputTokens ?? 0) + content.length * PER_CALL;
}

type Part = Message['content'][number];

function imagesIn({ content }: Message): number {
  return content.filter(({ type }) => type === 'image').length;
}

function partBound(part: Part): number {
  if (part.type === 'image') return imageBound(part.data);
  const signature = part.signature === undefined ? 0 : textBound(part.signature);
  const continues = 'continues' in part ? textBound(part.continues ?? '') + PER_MESSAGE : 0;
  if (part.type === 'tool_call') return callBound(part) + signature + continues;
  const added = part.type === 'text' ? (part.update?.tools?.added ?? []) : [];
  return PER_MESSAGE + textBound(part.text) + signature + continues + toolsBound(added);
}

function callBound({ id, name, input, malformed = '' }: Extract<Part, { type: 'tool_call' }>): number {
  const named = input === null || typeof input !== 'object' ? 0 : Object.keys(input).length;
  const texts = textBound(id) + textBound(name) + textBound(malformed) + jsonBound(input ?? {});
  return PER_CALL + named * PER_ARGUMENT + texts;
}

function imageBound(data: string): number {
  const size = imageOf(Buffer.from(data, 'base64'))?.size;
  const patches = (side: number | undefined) => Math.ceil((side ?? LONGEST_SIDE) / PATCH_SIDE);
  const tokens = Math.ceil(patches(size?.width) * patches(size?.height) * TOKENS_PER_PATCH);
  return Math.max(FEWEST_PER_IMAGE, tokens);
}
