import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Limit } from '../../contract/limit.ts';
import { noUsage } from '../../contract/message.ts';
import {
  amountsOf,
  describeLimit,
  judgeCall,
  type PlannedCall,
  type ScopedLimit,
  standingOf,
  tallyOf,
} from './cost.ts';
import type { CallOwner, Entry, Hold, Sums } from './ledger.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const owner: CallOwner = { session: 's', run: 'r', model: 'a/x', purpose: 'main' };
const call: PlannedCall = { inputTokens: 1000, outputTokens: 8000, price, purpose: 'main' };

function entry(usd: number | null, tokens: number, more: Partial<Entry> = {}): Entry {
  return { ...owner, id: '1', at: '', usage: { ...noUsage, inputTokens: tokens }, usd, ...more };
}

function limitsOver(totals: Sums, ...limits: Limit[]) {
  const standing = standingOf(totals);
  return limits.map((limit) => ({ limit: { scope: 'run', limit } as ScopedLimit, standing }));
}

const empty: Sums = { spent: [], held: [], lost: [] };
const usd = (amount: number): Limit => ({ unit: 'usd', amount });
const tokens = (amount: number): Limit => ({ unit: 'tokens', amount });
const judge = (totals: Sums, limit: Limit, changes: Partial<PlannedCall> = {}) =>
  judgeCall(limitsOver(totals, limit), { ...call, ...changes }, { canWait: true });

describe('whether a call is allowed', () => {
  test('without a limit, and far from one, unchanged', () => {
    expect(judgeCall([], call, { canWait: true })).toEqual({ type: 'go', outputTokens: 8000 });
    expect(judge(empty, usd(5))).toEqual({ type: 'go', outputTokens: 8000 });
  });

  test('near a limit, the answer is capped to what fits: the prompt is counted at its highest price', () => {
    // 1000 tokens at 3.75 leave 0.01625 of the two cents: 1083 tokens at 15.
    expect(judge(empty, usd(0.02))).toEqual({ type: 'go', outputTokens: 1083 });
    expect(judge(empty, tokens(3000))).toEqual({ type: 'go', outputTokens: 2000 });
  });

  test('not for fewer than 256 output tokens, unless fewer are requested', () => {
    const by = { scope: 'run', limit: tokens(1255) };
    expect(judge(empty, tokens(1255))).toEqual({ type: 'stop', by, used: 0 });
    expect(judge(empty, tokens(1256))).toEqual({ type: 'go', outputTokens: 256 });
    expect(judge(empty, tokens(1100), { outputTokens: 100 })).toEqual({ type: 'go', outputTokens: 100 });
  });

  test('not if a limit is in dollars and the price is unknown', () => {
    expect(judge(empty, usd(5), { price: null })).toMatchObject({ type: 'stop' });
  });

  test('turns are calls of the main model; background jobs do not count', () => {
    const totals = { ...empty, spent: [entry(0, 1), entry(0, 1, { purpose: 'helper' })] };
    expect(judge(totals, { unit: 'turns', amount: 2 })).toMatchObject({ type: 'go' });
    expect(judge(totals, { unit: 'turns', amount: 1 })).toMatchObject({ type: 'stop', used: 1 });
    expect(judge(totals, { unit: 'turns', amount: 1 }, { purpose: 'helper' })).toMatchObject({ type: 'go' });
  });

  test('waits for a while for what running calls reserve', () => {
    const held: Hold = { ...owner, id: '2', at: '', ...amountsOf(call) };
    const limits = limitsOver({ ...empty, held: [held] }, tokens(9500));
    expect(judgeCall(limits, call, { canWait: true })).toMatchObject({ type: 'wait' });
    expect(judgeCall(limits, call, { canWait: false })).toMatchObject({ type: 'stop' });
  });

  test('a call whose process died counts with its prompt', () => {
    const lost: Hold = { ...owner, id: '2', at: '', ...amountsOf(call) };
    expect(standingOf({ ...empty, lost: [lost] })).toEqual({
      spent: { usd: 0.00375, tokens: 1000, turns: 1 },
      held: { usd: 0, tokens: 0, turns: 0 },
    });
  });
});

test('[Y21] whatever is requested, in whatever order it ends, no limit is exceeded', () => {
  const asked = fc.record({
    inputTokens: fc.integer({ min: 0, max: 5000 }),
    outputTokens: fc.integer({ min: 1, max: 50_000 }),
    /** The share of the planned usage that the call took. */
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    /** Ends at once, or keeps running while the next ones are judged. */
    lasts: fc.boolean(),
  });
  const limit = fc.oneof(
    fc.double({ min: 0.0001, max: 1, noNaN: true }).map(usd),
    fc.integer({ min: 1, max: 100_000 }).map(tokens),
  );
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 30 }), limit, (calls, bound) => {
      const spent: Entry[] = [];
      const held: Hold[] = [];
      for (const [i, { inputTokens, outputTokens, share, lasts }] of calls.entries()) {
        const planned = { inputTokens, outputTokens, price, purpose: 'main' as const };
        const limits = limitsOver({ spent, held, lost: [] }, bound);
        const verdict = judgeCall(limits, planned, { canWait: false });
        if (verdict.type !== 'go') continue;
        const amounts = amountsOf({ ...planned, outputTokens: verdict.outputTokens });
        if (lasts) held.push({ ...owner, id: `${i}`, at: '', ...amounts });
        else spent.push(entry(amounts.most.usd * share, Math.floor(amounts.most.tokens * share)));
      }
      const { unit, amount } = bound;
      const standing = standingOf({ spent, held, lost: [] });
      expect(standing.spent[unit] + standing.held[unit]).toBeLessThanOrEqual(amount + 1e-9);
    }),
  );
});

test('by model, most expensive first; one unknown price makes the sum unknown', () => {
  const rows = [
    entry(0.1, 10),
    entry(1, 20, { model: 'b/y', estimated: true }),
    entry(0.2, 5),
    entry(null, 7, { model: 'c/z' }),
    entry(2, 1, { model: 'c/z' }),
  ];
  const used = (inputTokens: number) => ({ ...noUsage, inputTokens });
  expect(tallyOf(rows)).toEqual([
    { model: 'b/y', calls: 1, usage: used(20), usd: 1, estimated: true },
    { model: 'a/x', calls: 2, usage: used(15), usd: 0.1 + 0.2, estimated: false },
    { model: 'c/z', calls: 2, usage: used(8), usd: null, estimated: false },
  ]);
});

test('a limit as text', () => {
  expect(describeLimit({ scope: 'day', limit: usd(5) }, 4.98)).toBe('$4.98 of $5.00 today');
  expect(describeLimit({ scope: 'run', limit: tokens(500_000) }, 1234)).toBe(
    '1,234 of 500,000 tokens this run',
  );
});
