import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';

const CHARACTERS_PER_TOKEN = 3.5;
const TOKENS_PER_IMAGE = 1600;

/**
 * Estimated tokens of a request, if the vendor cannot count them: high rather than low. Called before every
 * request, and successive requests differ by a few messages, so counts are cached per message.
 */
export function estimateTokens({
  system,
  summary = '',
  vendorSummary,
  messages,
  tools = [],
}: CompletionRequest): number {
  let tokens = (system.length + summary.length) / CHARACTERS_PER_TOKEN + counted(tools, tokensOfJson);
  if (vendorSummary) tokens += counted(vendorSummary.items, tokensOfJson);
  for (const message of messages) tokens += counted(message, tokensOfMessage);
  return Math.ceil(tokens);
}

/** Messages and tool lists are immutable once sent. */
const counts = new WeakMap<object, number>();

function counted<T extends object>(value: T, count: (value: T) => number): number {
  const known = counts.get(value);
  if (known !== undefined) return known;
  const tokens = count(value);
  counts.set(value, tokens);
  return tokens;
}

function tokensOfJson(value: object): number {
  return JSON.stringify(value).length / CHARACTERS_PER_TOKEN;
}

function tokensOfMessage({ content }: Message): number {
  return content.reduce((sum, part) => sum + tokensOfPart(part), 0);
}

function tokensOfPart(part: Message['content'][number]): number {
  if (part.type === 'image') return TOKENS_PER_IMAGE;
  const length = part.type === 'tool_call' ? JSON.stringify(part.input ?? {}).length : part.text.length;
  return length / CHARACTERS_PER_TOKEN;
}
