import type { Message, Usage } from '../contract/message.ts';

/** A model may count twice or half as many tokens as we do; what is said beyond that is a mistake. */
const BOUNDS = { least: 0.5, most: 2 };
/** How much one figure of a vendor changes what is known. */
const WEIGHT = 0.5;

export type Counting = {
  model: string;
  /** The first message that was there only after the last compaction. */
  since: number;
  /** Our estimate of the whole request, and of a part of the messages. */
  whole: number;
  estimate(messages: readonly Message[]): number;
  /** What this model counts for one of our estimate. */
  factor: number;
};

/** What a request takes now: the vendor's figures for the last one, and our estimate for what came since. */
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

/** The factor after one more figure of the vendor for a request that we had estimated. */
export function nextFactor(factor: number, counted: number, estimated: number): number {
  if (counted <= 0 || estimated <= 0) return factor;
  const bound = (value: number) => Math.min(Math.max(value, BOUNDS.least), BOUNDS.most);
  return bound(factor + (bound(counted / estimated) - factor) * WEIGHT);
}
