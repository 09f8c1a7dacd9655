import type { Count, SessionFigures } from '../contract/command.ts';
import { addUsage, noUsage, type Usage } from '../contract/message.ts';
import { compareText } from '../lib/text/compare.ts';
import type { RunEntry } from './run-tally.ts';
import { dayOf, type Entry } from './spending/ledger.ts';

/** Totals of calls. `usd` is the sum of known prices; `unpriced` is the number of other calls. */
export type Sum = { calls: number; usage: Usage; usd: number; unpriced: number };

type Named<T> = T & { name: string };

/** Usage over all sessions. */
export type UsageStats = {
  total: Sum & { sessions: number; runs: number; turns: number; ms: number };
  /** Earliest first. */
  days: Named<Sum>[];
  /** Most expensive first, like the sessions. */
  models: Named<Sum>[];
  sessions: Named<Sum>[];
  requests: Count;
  tools: Named<Count>[];
  caches: Named<{ hits: number; misses: number }>[];
};

export type SpendingTotals = { spent: readonly Entry[]; runs: readonly RunEntry[] };

export function usageStats({ spent, runs }: SpendingTotals): UsageStats {
  const sessions = sumsBy(spent, ({ session }) => session).sort(mostExpensiveFirst);
  return {
    total: { ...sumOf(spent), sessions: sessions.length, ...totalOf(runs) },
    days: sumsBy(spent, ({ at }) => dayOf(new Date(at))).sort((a, b) => compareText(a.name, b.name)),
    models: sumsBy(spent, ({ model }) => model).sort(mostExpensiveFirst),
    sessions,
    ...countsOf(runs),
  };
}

/** Of one session. */
export function sessionFigures({ spent, runs }: SpendingTotals): SessionFigures {
  const { requests, ...counts } = countsOf(runs);
  return {
    ...totalOf(runs),
    requests: spent.map(({ usage, usd }) => ({ usage, usd })),
    answered: requests,
    ...counts,
  };
}

function allTokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

function totalOf(runs: readonly RunEntry[]): { runs: number; turns: number; ms: number } {
  const sum = (value: (run: RunEntry) => number) => runs.reduce((total, run) => total + value(run), 0);
  // Background jobs between runs and after the last one are entries without a turn.
  const prompted = runs.filter(({ turns }) => turns > 0);
  return { runs: prompted.length, turns: sum(({ turns }) => turns), ms: sum(({ ms }) => ms) };
}

function countsOf(runs: readonly RunEntry[]): Pick<UsageStats, 'requests' | 'tools' | 'caches'> {
  const tools = new Map<string, Count>();
  const caches = new Map<string, { hits: number; misses: number }>();
  for (const run of runs) {
    for (const [name, count] of Object.entries(run.tools)) tools.set(name, addCount(tools.get(name), count));
    for (const [name, { hits, misses }] of Object.entries(run.caches)) {
      const before = caches.get(name) ?? { hits: 0, misses: 0 };
      caches.set(name, { hits: before.hits + hits, misses: before.misses + misses });
    }
  }
  return {
    requests: runs.reduce((sum, { requests }) => addCount(sum, requests), NONE),
    tools: named(tools).sort((a, b) => b.calls - a.calls || compareText(a.name, b.name)),
    caches: named(caches).sort((a, b) => compareText(a.name, b.name)),
  };
}

const NONE: Count = { calls: 0, failed: 0, ms: 0 };

function addCount(a: Count = NONE, b: Count): Count {
  return { calls: a.calls + b.calls, failed: a.failed + b.failed, ms: a.ms + b.ms };
}

function sumsBy(entries: readonly Entry[], nameOf: (entry: Entry) => string): Named<Sum>[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = nameOf(entry);
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return [...groups].map(([name, group]) => ({ name, ...sumOf(group) }));
}

function sumOf(entries: readonly Entry[]): Sum {
  return {
    calls: entries.length,
    usage: entries.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    usd: entries.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    unpriced: entries.filter(({ usd }) => usd === null).length,
  };
}

function mostExpensiveFirst(a: Sum, b: Sum): number {
  return b.usd - a.usd || allTokens(b.usage) - allTokens(a.usage);
}

function named<T>(map: ReadonlyMap<string, T>): Named<T>[] {
  return [...map].map(([name, value]) => ({ name, ...value }));
}
