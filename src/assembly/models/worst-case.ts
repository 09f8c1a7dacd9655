import { noUsage, type Usage } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { amountsOf, type PlannedCall, tokensOf } from '../../observability/spending/cost.ts';
import type { Amounts, CallOwner } from '../../observability/spending/ledger.ts';
import { costOf, type PricedModel } from '../../providers/models/models.ts';
import type { Choice } from './choose-model.ts';

/** Tokens reserved for an answer without its own limit: a large reservation would block other calls. */
const USUAL_MOST = 32_000;
/** A vendor's own search tool may search more than once for an answer. */
const MOST_SEARCHES = 5;
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A call at its most expensive, with a prompt of at most so many tokens. */
export function planCall(
  request: CompletionRequest,
  inputTokens: number,
  {
    choice: { info, preset },
    priced,
    purpose,
  }: { choice: Choice; priced: PricedModel; purpose: CallOwner['purpose'] },
): PlannedCall {
  return {
    inputTokens,
    outputTokens: Math.min(request.maxTokens ?? USUAL_MOST, info.maxOutputTokens),
    price: writtenFor(request, priceAtMost(priced, inputTokens)) ?? (preset.local ? FREE : null),
    searchUsd: request.webSearch ? MOST_SEARCHES * (preset.webSearch?.usd ?? 0) : 0,
    purpose,
  };
}

/** What a call has cost at most whose usage was not reported in full; `outputTokens` is what arrived, at most. */
export function spentAtMost(
  call: PlannedCall,
  { usage, outputTokens }: { usage: Usage | undefined; outputTokens: number },
  priced: PricedModel,
): Amounts {
  if (!usage) return amountsOf({ ...call, outputTokens }).most;
  const full = { ...noUsage, ...usage, outputTokens: Math.max(usage.outputTokens, outputTokens) };
  return { usd: (costOf(full, priced) ?? 0) + (call.searchUsd ?? 0), tokens: tokensOf(full) };
}

/** The higher price if the prompt may count as a long one. */
function priceAtMost({ price, long }: PricedModel, inputTokens: number): ModelInfo['price'] {
  return price && long && inputTokens > long.above ? long.price : price;
}

/** The price when the cache is written for as long as the request asks. */
function writtenFor(
  { cacheLifetime }: Pick<CompletionRequest, 'cacheLifetime'>,
  price: ModelInfo['price'],
): ModelInfo['price'] {
  const { cacheWriteHour } = price ?? {};
  return price && cacheLifetime === '1h' && cacheWriteHour !== undefined
    ? { ...price, cacheWrite: cacheWriteHour }
    : price;
}
