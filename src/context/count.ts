import type { Message, Usage } from '../contract/message.ts';

/** A model's token count may be half or twice our estimate; anything beyond is an error. */
const BOUNDS = { least: 0.5, most: 2 };
/** How much one count of a vendor changes the factor. */
const WEIGHT = 0.5;

export type Counting = {
  model: string;
  /** The first message after the last compaction. */
  since: number;
  /** Our estimate of the whole request, and of a part of the messages. */
  whole: number;
  estimate(messages: readonly Message[]): number;
  /** This model's tokens per token of our estimate. */
  factor: number;
};

/** Current tokens of a request: the vendor's count of the last one, plus our estimate of later messages. */
export function tokensNow(messages: readonly Message[], counting: Counting): number {
  const { whole, factor, estimate } = counting;
  const last = lastUsage(messages, counting);
  if (!last) return Math.round(whole * factor);
  const tokens = last.tokens + estimate(messages.slice(last.at + 1)) * factor;
  return Math.round(Math.min(Math.max(tokens, whole * BOUNDS.least), whole * BOUNDS.most));
}

function lastUsage(messages: readonly Message[], { model, since }: Counting) {
  for (let at = messages.length - 1; at >= since; at--) {
    const message = messages[at];
    if (message?.role !== 'assistant' || !message.usage || message.model !== model) continue;
    return { at, tokens: promptTokens(message.usage) + message.usage.outputTokens };
  }
  return null;
}

export function promptTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** The factor after another vendor count for a request that we had estimated. */
export function nextFactor(factor: number, counted: number, estimated: number): number {
  if (counted <= 0 || estimated <= 0) return factor;
  const bound = (value: number) => Math.min(Math.max(value, BOUNDS.least), BOUNDS.most);
  return bound(factor + (bound(counted / estimated) - factor) * WEIGHT);
}
