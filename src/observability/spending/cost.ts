import { formatLimit, type Limit, type LimitScope, shortUsd } from '../../contract/limit.ts';
import { addUsage, noUsage, type Usage } from '../../contract/message.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import { grouped } from '../../lib/text/counted.ts';
import type { Amounts, CallOwner, Entry, Hold, Sums } from './ledger.ts';

/** `batch`: all processes that share a budget. */
export type SpendingScope = LimitScope | 'batch';

export type ScopedLimit = { scope: SpendingScope; limit: Limit };

/** Spent and reserved amounts of one scope. */
export type SpendingState = { spent: Record<Limit['unit'], number>; held: Record<Limit['unit'], number> };

type Price = NonNullable<ModelInfo['price']>;

/** A call about to be made. `price` is null if unknown. */
export type PlannedCall = {
  /** High rather than low. */
  inputTokens: number;
  outputTokens: number;
  price: Price | null;
  /** At most, for searches that the vendor makes for the answer. */
  searchUsd?: number;
  purpose: CallOwner['purpose'];
};

/** The ledger's amounts for one scope. A call whose process died has cost at least its prompt. */
export function standingOf({ spent, held, lost }: Sums): SpendingState {
  const standing = { spent: { usd: 0, tokens: 0, turns: 0 }, held: { usd: 0, tokens: 0, turns: 0 } };
  for (const entry of spent)
    add(standing.spent, entry.most ?? { usd: entry.usd ?? 0, tokens: tokensOf(entry.usage) }, entry);
  for (const hold of lost) add(standing.spent, hold.sure, hold);
  for (const hold of held) add(standing.held, hold.most, hold);
  return standing;
}

function add(sum: Record<Limit['unit'], number>, { usd, tokens }: Amounts, { purpose }: CallOwner): void {
  sum.usd += usd;
  sum.tokens += tokens;
  if (purpose === 'main') sum.turns += 1;
}

export function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** Output tokens that fit the limit; none if not even the prompt fits. */
function roomFor({ unit, amount }: Limit, used: number, call: PlannedCall): number {
  const left = amount - used;
  switch (unit) {
    case 'turns':
      return call.purpose === 'helper' || left >= 1 ? Number.POSITIVE_INFINITY : 0;
    case 'tokens':
      return Math.max(0, left - call.inputTokens);
    case 'usd': {
      if (!call.price) return 0;
      const rest = left - inputUsd(call, call.price);
      if (rest <= 0) return 0;
      return call.price.output === 0
        ? Number.POSITIVE_INFINITY
        : Math.floor((rest * 1e6) / call.price.output);
    }
    default:
      return unit satisfies never;
  }
}

/** The maximum of a call, and its certain cost once it is sent. */
export function amountsOf(call: PlannedCall): Pick<Hold, 'most' | 'sure'> {
  const { inputTokens, outputTokens, price } = call;
  const sure = { usd: price ? inputUsd(call, price) : 0, tokens: inputTokens };
  const answer = { usd: price ? (outputTokens * price.output) / 1e6 : 0, tokens: outputTokens };
  return { sure, most: { usd: sure.usd + answer.usd, tokens: sure.tokens + answer.tokens } };
}

/** Writing the vendor's cache may cost more than plain input. */
function inputUsd(call: PlannedCall, { input, cacheRead, cacheWrite }: Price): number {
  return (call.inputTokens * Math.max(input, cacheRead, cacheWrite)) / 1e6 + (call.searchUsd ?? 0);
}

export type Admission =
  | { type: 'go'; outputTokens: number }
  /** Running calls reserve what this one needs; they will not need all of it. */
  | { type: 'wait'; by: ScopedLimit }
  | { type: 'stop'; by: ScopedLimit; used: number };

/** Not worth a call below this. */
const LEAST = 256;
/** Few answers are longer: if this much fits, there is no need to wait. */
const ENOUGH = 32_000;

/** Whether a call is allowed, and how long its answer may be, so that it cannot exceed any limit. */
export function judgeCall(
  limits: readonly { limit: ScopedLimit; standing: SpendingState }[],
  call: PlannedCall,
  { canWait: patient }: { canWait: boolean },
): Admission {
  const rooms = limits.map(({ limit: by, standing: { spent, held } }) => {
    const { unit } = by.limit;
    const used = spent[unit] + held[unit];
    return { by, used, room: roomFor(by.limit, used, call), alone: roomFor(by.limit, spent[unit], call) };
  });
  const [tightest] = rooms.sort((a, b) => a.room - b.room);
  const wanted = call.outputTokens;
  if (!tightest || tightest.room >= Math.min(wanted, ENOUGH))
    return { type: 'go', outputTokens: Math.min(wanted, tightest?.room ?? wanted) };
  const crowded = rooms.find(({ room, alone }) => alone > room);
  if (patient && crowded) return { type: 'wait', by: crowded.by };
  if (tightest.room >= Math.min(wanted, LEAST)) return { type: 'go', outputTokens: tightest.room };
  return { type: 'stop', by: tightest.by, used: tightest.used };
}

export type Tally = { model: string; calls: number; usage: Usage; usd: number | null; estimated: boolean };

/** By model, most expensive first; without a price, by tokens. */
export function tallyOf(entries: Iterable<Entry>): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { account, usage, usd, estimated, ...entry } of entries) {
    const model = account === undefined ? entry.model : `${entry.model} (${account})`;
    const tally = tallies.get(model) ?? { model, calls: 0, usage: noUsage, usd: 0, estimated: false };
    tallies.set(model, {
      model,
      calls: tally.calls + 1,
      usage: addUsage(tally.usage, usage),
      usd: tally.usd === null || usd === null ? null : tally.usd + usd,
      estimated: tally.estimated || estimated === true,
    });
  }
  return [...tallies.values()].sort(
    (a, b) => (b.usd ?? 0) - (a.usd ?? 0) || tokensOf(b.usage) - tokensOf(a.usage),
  );
}

const SCOPE_WORDS = { run: 'this run', session: 'this session', day: 'today', batch: 'this batch' } as const;

/** `$1.20 of $5.00 this session`. */
export function describeLimit({ scope, limit }: ScopedLimit, used: number): string {
  const amount = limit.unit === 'usd' ? shortUsd(used) : grouped(used);
  return `${amount} of ${formatLimit(limit)} ${SCOPE_WORDS[scope]}`;
}
