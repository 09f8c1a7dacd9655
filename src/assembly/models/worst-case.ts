import type { Message, Usage } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { PricedModel } from '../../providers/models/models.ts';

/** Tokens that the vendor adds around messages and tools. */
const WRAPPING = 500;
const MARGIN = 1.15;
/** Safety margin on a factor learned from a vendor. */
const LEARNED_MARGIN = 1.05;

/** Upper bound for the tokens of a prompt, learned from vendors' counts. */
export type PromptBound = {
  of(request: CompletionRequest): number;
  learn(request: CompletionRequest, usage: Usage): void;
};

export function createPromptBound(): PromptBound {
  const factors = new Map<string, number>();
  return {
    of: (request) => Math.ceil(size(request) * (factors.get(request.model) ?? MARGIN)) + WRAPPING,
    learn(request, { inputTokens, cacheReadTokens, cacheWriteTokens }) {
      const counted = inputTokens + cacheReadTokens + cacheWriteTokens - WRAPPING;
      const factor = (counted / Math.max(1, size(request))) * LEARNED_MARGIN;
      // Only upwards: an image or a script may make the next prompt as dense as the densest so far.
      factors.set(request.model, Math.max(factors.get(request.model) ?? MARGIN, factor));
    },
  };
}

/** Non-Latin scripts take up to one token per character, which the estimate ignores. */
function size(request: CompletionRequest): number {
  const { system, summary = '', messages } = request;
  const wide = messages.reduce((sum, message) => sum + wideIn(message), surplus(system) + surplus(summary));
  return estimateTokens(request) + summary.length / 3 + wide;
}

const known = new WeakMap<Message, number>();

function wideIn(message: Message): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const texts = message.content.map((part) =>
    part.type === 'image' ? '' : part.type === 'tool_call' ? JSON.stringify(part.input ?? {}) : part.text,
  );
  const wide = texts.reduce((sum, text) => sum + surplus(text), 0);
  known.set(message, wide);
  return wide;
}

function surplus(text: string): number {
  return Buffer.byteLength(text) - text.length;
}

/** The higher price if the prompt may count as a long one. */
export function priceAtMost({ price, long }: PricedModel, inputTokens: number): ModelInfo['price'] {
  return price && long && inputTokens > long.above ? long.price : price;
}

/** The price when the cache is written for as long as the request asks. */
export function writtenFor(
  { cacheLifetime }: Pick<CompletionRequest, 'cacheLifetime'>,
  price: ModelInfo['price'],
): ModelInfo['price'] {
  const { cacheWriteHour } = price ?? {};
  return price && cacheLifetime === '1h' && cacheWriteHour !== undefined
    ? { ...price, cacheWrite: cacheWriteHour }
    : price;
}
