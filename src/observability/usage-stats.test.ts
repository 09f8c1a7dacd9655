import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import type { AgentEvent } from '../contract/event.ts';
import { RunTally } from './run-tally.ts';
import { type Entry, Ledger } from './spending/ledger.ts';
import { sessionFigures, usageStats } from './usage-stats.ts';

const usage = (inputTokens: number, cacheReadTokens = 0) => ({
  inputTokens,
  outputTokens: 1,
  cacheReadTokens,
  cacheWriteTokens: 0,
});
const entry = (id: string, more: Partial<Entry> = {}): Entry => ({
  id,
  at: new Date(2026, 0, 2, 12).toISOString(),
  session: 's1',
  run: 'r',
  model: 'a/x',
  purpose: 'main',
  usage: usage(10),
  usd: 1,
  ...more,
});
const ended = (name: string, success: boolean): AgentEvent => ({
  type: 'tool_end',
  callId: name,
  name,
  success,
  durationMs: 5,
});
const looked = (outcome: 'hit' | 'miss'): AgentEvent => ({
  type: 'cache',
  kind: 'read',
  outcome,
  entries: 1,
});
const request = (error?: 'overloaded'): AgentEvent => ({
  type: 'model_call',
  provider: 'a',
  model: 'x',
  purpose: 'main',
  durationMs: 100,
  contextWindow: 1000,
  ...(error && { error }),
});
const within = (event: AgentEvent): AgentEvent => ({ type: 'subagent', callId: 'c', agent: 'a', event });

/** A clock that advances by a second on each read. */
function ticking(): () => Date {
  let seconds = 0;
  return () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++));
}

describe('a run', () => {
  test('includes its subagents, is reported when it ends, and the next one starts at zero', () => {
    const tally = new RunTally('s1', ticking());
    expect(tally.current).toBe(null);
    const events: AgentEvent[] = [
      { type: 'run_start', sessionId: 's1', provider: 'a', model: 'x', cwd: '/', messages: 0 },
      { type: 'turn_start', turn: 1 },
      request('overloaded'),
      request(),
      ended('Task', true),
      within({ type: 'turn_start', turn: 1 }),
      within(ended('Read', false)),
      within(within(looked('hit'))),
      within({ type: 'end', reason: 'done', turns: 1 }),
      looked('miss'),
      looked('hit'),
    ];
    expect(events.map((event) => tally.take(event))).toEqual(events.map(() => null));
    const counted = {
      id: expect.any(String),
      session: 's1',
      turns: 1,
      requests: { calls: 2, failed: 1, ms: 200 },
      tools: { Task: { calls: 1, failed: 0, ms: 5 }, Read: { calls: 1, failed: 1, ms: 5 } },
      caches: { read: { hits: 2, misses: 1 } },
    };
    expect(tally.current).toEqual({ ...counted, at: '2026-01-01T00:00:02.000Z', ms: 1000 });
    expect(tally.take({ type: 'end', reason: 'done', turns: 1 })).toEqual({
      ...counted,
      at: '2026-01-01T00:00:03.000Z',
      ms: 2000,
    });
    expect(tally.current).toBe(null);
  });
});

describe('usage', () => {
  test('is read from the ledger: by day, model, session, tool and cache', async () => {
    const { home } = await workspace();
    let now = new Date(2026, 0, 1, 12);
    const ledger = new Ledger(path.join(home, 'ledger'), () => now);
    ledger.spend(entry('before', { at: now.toISOString() }));
    now = new Date(2026, 0, 2, 12);
    ledger.spend(entry('1'));
    now = new Date(2026, 0, 3, 12);
    ledger.spend(entry('2', { at: now.toISOString(), model: 'b/y', usd: null, usage: usage(20, 30) }));
    ledger.spend(entry('3', { at: now.toISOString(), session: 's2', usd: 4 }));
    const tally = new RunTally('s2', ticking());
    tally.take({ type: 'turn_start', turn: 1 });
    for (const event of [ended('Read', true), ended('Read', false), ended('Bash', true), looked('hit')])
      tally.take(event);
    const run = tally.take({ type: 'end', reason: 'done', turns: 2 });
    if (!run) throw new Error('The run has ended.');
    ledger.note(run);
    // A background job after the run: it is counted, but not as a run.
    tally.take(looked('hit'));
    if (tally.current) ledger.note(tally.current);

    const totals = new Ledger(path.join(home, 'ledger'), () => now).since(new Date(2026, 0, 2));

    const sum = (calls: number, usd: number, used = usage(10 * calls)) => ({
      calls,
      usd,
      unpriced: 0,
      usage: { ...used, outputTokens: calls },
    });
    expect(usageStats(totals)).toEqual({
      total: {
        ...sum(3, 5, usage(40, 30)),
        unpriced: 1,
        sessions: 2,
        runs: 1,
        turns: 1,
        ms: expect.any(Number),
      },
      days: [
        { name: '2026-01-02', ...sum(1, 1) },
        { name: '2026-01-03', ...sum(2, 4, usage(30, 30)), unpriced: 1 },
      ],
      models: [
        { name: 'a/x', ...sum(2, 5) },
        { name: 'b/y', ...sum(1, 0, usage(20, 30)), unpriced: 1 },
      ],
      sessions: [
        { name: 's2', ...sum(1, 4) },
        { name: 's1', ...sum(2, 1, usage(30, 30)), unpriced: 1 },
      ],
      requests: { calls: 0, failed: 0, ms: 0 },
      tools: [
        { name: 'Read', calls: 2, failed: 1, ms: 10 },
        { name: 'Bash', calls: 1, failed: 0, ms: 5 },
      ],
      caches: [{ name: 'read', hits: 2, misses: 0 }],
    });
    expect(sessionFigures({ spent: totals.spent.slice(2), runs: totals.runs })).toMatchObject({
      runs: 1,
      requests: [{ usd: 4, usage: usage(10) }],
      answered: { calls: 0, failed: 0, ms: 0 },
    });
  });

  test('a run in the ledger does not affect reservations or spending', async () => {
    const { home } = await workspace();
    const ledger = new Ledger(home, () => new Date(2026, 0, 2, 12));
    const { run, purpose, model, session, at, id } = entry('1');
    const amounts = { usd: 1, tokens: 1 };
    const hold = { run, purpose, model, session, at, id, most: amounts, sure: amounts };
    await ledger.decide('s1', () => ({ verdict: null, hold }));
    const whole = new RunTally('s1').take({ type: 'end', reason: 'done', turns: 0 });
    if (whole) ledger.note(whole);
    expect(ledger.totals('s1').today.held).toMatchObject([{ id: '1' }]);
  });
});
