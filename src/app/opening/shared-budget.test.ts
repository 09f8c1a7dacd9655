import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../../test/support/redis.ts';
import { bundled } from '../../../test/support/run-together.ts';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import {
  closeRedisBudget,
  createRedisBudget,
  openRedisBudget,
  removeRedisBudget,
  settleCallsOf,
} from '../../cache/redis-budget.ts';
import { newRedis, PATIENT } from '../../cache/redis-client.ts';
import { parseLimits } from '../../contract/limit.ts';
import { type LimitAmounts, PACING, type SharedBudget } from '../../contract/shared-budget.ts';
import { BudgetServer } from '../../observability/spending/budget-server.ts';
import { createFileBudget } from '../../observability/spending/file-budget.ts';
import { openSharedBudget, type SharedBudgetDescription } from './shared-budget.ts';

/** A new budget: the file that describes it to an owner, and what a worker does after an owner's death. */
type Created = { file(owner?: string): Promise<string>; died(owner: string): Promise<void> };
type Backend = {
  create(limits: string, quotas?: SharedBudgetDescription['quotas']): Promise<Created>;
};

const amounts = (usd: number, tokens: number, turns = 1): LimitAmounts => ({ usd, tokens, turns });

async function described(home: string, description: SharedBudgetDescription): Promise<string> {
  const file = path.join(home, `budget-${Math.random()}.json`);
  await writeFile(file, JSON.stringify(description));
  return file;
}

async function fileBackend(): Promise<Backend> {
  const { home } = await workspace();
  return {
    async create(limits, quotas = {}) {
      const folder = path.join(home, `budget-${Math.random()}`);
      await createFileBudget(folder);
      return {
        file: () => described(home, { limits, quotas, place: { folder } }),
        died: async () => undefined,
      };
    },
  };
}

/** As a worker serves it to its tasks. */
async function redisBackend(): Promise<Backend> {
  const [{ home }, { url }, served] = await Promise.all([workspace(), redisServer(), budgetServer()]);
  const redis = await newRedis(url, PATIENT);
  onTestFinished(() => redis.disconnect());
  return {
    async create(limits, quotas = {}) {
      const prefix = `{test}:${Math.random()}`;
      const names = { redis, prefix, pacePrefix: `${prefix}:pace` };
      await createRedisBudget({ redis, prefix });
      return {
        async file(owner = 'one/1') {
          const budget = openRedisBudget({ ...names, limits: parseLimits(limits) ?? [], quotas, owner });
          return described(home, { limits, quotas, place: served.serve(budget).address });
        },
        died: (owner) => settleCallsOf({ job: owner.split('/')[0] ?? '', before: 2 }, { redis, prefix }),
      };
    },
  };
}

async function budgetServer(): Promise<BudgetServer> {
  const server = await BudgetServer.start();
  onTestFinished(() => server.close());
  return server;
}

async function opened(file: string): Promise<SharedBudget> {
  const budget = await openSharedBudget({ AI_ASSISTANT_SHARED_BUDGET: file });
  if (!budget) throw new Error('There is no budget.');
  onTestFinished(() => budget.close());
  return budget;
}

const backends: [string, () => Promise<Backend>][] = [
  ['files', fileBackend],
  ...(hasRedis ? ([['Redis', redisBackend]] as [string, () => Promise<Backend>][]) : []),
];

describe.each(backends)('a budget shared through %s', (_name, backend) => {
  test('reserves, settles and releases, each as often as it is repeated', async () => {
    const { create } = await backend();
    const file = await (await create('$1 and 1000 tokens')).file();
    const [one, two] = [await opened(file), await opened(file)];
    expect(one.limits).toEqual([
      { unit: 'usd', amount: 1 },
      { unit: 'tokens', amount: 1000 },
    ]);

    expect(await one.reserve('a', amounts(0.7, 100))).toBe(true);
    expect(await one.reserve('a', amounts(0.7, 100))).toBe(true);
    expect(await two.reserve('b', amounts(0.31, 100))).toBe(false);
    expect(await two.reserve('b', amounts(0.1, 901))).toBe(false);
    expect(await two.reserve('b', amounts(0.3, 900))).toBe(true);
    expect(await two.totals()).toEqual({ spent: amounts(0, 0, 0), held: amounts(1, 1000, 2) });

    for (const _ of [1, 2]) await one.settle('a', amounts(0.2, 40));
    for (const _ of [1, 2]) await two.settle('b', amounts(0, 0, 0));
    expect(await one.totals()).toEqual({ spent: amounts(0.2, 40), held: amounts(0, 0, 0) });
  });

  test('after a vendor rejected a call, everybody slows down, and recovers step by step', async () => {
    const { create } = await backend();
    const file = await (await create('$1')).file();
    const [one, two] = [(await opened(file)).pace, (await opened(file)).pace];
    expect(await one.next('anthropic')).toBe(0);
    await one.report('anthropic', { rejected: true, retryAfterMs: 30_000 });
    const wait = await two.next('anthropic');
    expect(wait).toBeGreaterThan(20_000);
    expect(wait).toBeLessThanOrEqual(30_000);
    expect(await two.next('openai')).toBe(0);

    await two.report('openai', { rejected: true });
    let asked = 0;
    const next = () => {
      asked = performance.now();
      return one.next('openai');
    };
    await expect.poll(next, { interval: 5 }).toBe(0);
    // However slow this machine is: not both at once.
    if ((await two.next('openai')) === 0)
      expect(performance.now() - asked).toBeGreaterThan(PACING.firstGapMs - 2);
    for (let success = 0; success < 8; success++) await one.report('openai', { rejected: false });
    await expect.poll(() => two.next('openai')).toBe(0);
    expect(await one.next('openai')).toBe(0);
    expect(await one.next('openai')).toBe(0);
  });

  test('requests per minute are counted together', async () => {
    const { create } = await backend();
    const created = await create('$1', { 'anthropic/*': { requestsPerMinute: 2 } });
    const file = await created.file();
    const [one, two] = [await opened(file), await opened(file)];
    const asked = { cost: { requests: 1, tokens: 0 }, limits: one.quotas['anthropic/*'] ?? {} };
    const { signal } = new AbortController();
    expect(await one.quota.take('anthropic/*', asked, signal)).toBe(0);
    expect(await two.quota.take('anthropic/*', asked, signal)).toBe(0);
    expect(await one.quota.take('anthropic/*', asked, signal)).toBeGreaterThan(50_000);
  });

  const outcome = fc.constantFrom('answer', 'short', 'cut', 'refused', 'killed');
  const processes = fc.array(fc.array(outcome, { minLength: 1, maxLength: 8 }), {
    minLength: 2,
    maxLength: 4,
  });

  sweep([1, rounds(4, 10)])('no interleaving of calls and crashes exceeds it (%i runs)', async (numRuns) => {
    const { create } = await backend();
    const { home } = await workspace();
    const script = await bundled('spend-shared.ts', home);
    await fc.assert(
      fc.asyncProperty(processes, async (each) => {
        const { file, died } = await create('$0.05 and 12k tokens and 14 turns');
        const charges = path.join(home, `charges-${Math.random()}`);
        await writeFile(charges, '');
        const run = promisify(execFile);
        const ends = await Promise.all(
          each.map(async (outcomes, i) => {
            const owner = `task ${i}/1`;
            const args = [script, await file(owner), charges, JSON.stringify(outcomes)];
            const end = await run(process.execPath, args).then(
              () => 'exit',
              ({ signal, stderr }) => signal ?? stderr,
            );
            await died(owner);
            return end;
          }),
        );
        expect(new Set([...ends, 'exit', 'SIGKILL'])).toEqual(new Set(['exit', 'SIGKILL']));
        const lines = (await readFile(charges, 'utf8')).trim().split('\n').filter(Boolean);
        const charged = lines.map((line) => line.split(' ').map(Number));
        const sum = (at: number) => charged.reduce((total, line) => total + (line[at] ?? 0), 0);
        const { spent, held } = await (await opened(await file())).totals();
        // Nothing stays reserved, and the budget has never counted less than the vendor.
        expect(held).toEqual(amounts(0, 0, 0));
        expect(spent.tokens).toBeGreaterThanOrEqual(sum(0));
        expect(spent.usd).toBeGreaterThanOrEqual(sum(1) - 1e-8);
        expect(spent.turns).toBeGreaterThanOrEqual(charged.length);
        expect([sum(0) <= 12_000, sum(1) <= 0.05, charged.length <= 14]).toEqual([true, true, true]);
      }),
      { numRuns, endOnFailure: true },
    );
  });
});

test('a budget that cannot be read stops the session', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'budget.json');
  for (const text of [undefined, 'nonsense', '{}', '{"limits":"lots","place":{"folder":"/x"}}']) {
    if (text !== undefined) await writeFile(file, text);
    await expect(openSharedBudget({ AI_ASSISTANT_SHARED_BUDGET: file })).rejects.toThrow(
      'Cannot read the shared',
    );
  }
  await writeFile(file, JSON.stringify({ limits: '$1', place: { folder: path.join(home, 'none') } }));
  await expect((await opened(file)).reserve('a', amounts(0.1, 1))).rejects.toThrow('missing or damaged');
});

describe.skipIf(!hasRedis)('a budget on a Redis server', () => {
  async function redisBudget() {
    const { home } = await workspace();
    const { url } = await redisServer();
    const redis = await newRedis(url, PATIENT);
    onTestFinished(() => redis.disconnect());
    const place = { redis, prefix: 'p' };
    const served = await budgetServer();
    await createRedisBudget(place);
    const of = async (owner: string) => {
      const limits = [{ unit: 'usd', amount: 1 } as const];
      const budget = openRedisBudget({ ...place, pacePrefix: 'q', owner, limits, quotas: {} });
      return opened(await described(home, { limits: '$1', place: served.serve(budget).address }));
    };
    return { redis, place, of };
  }

  test('that is lost admits nothing', async () => {
    const { redis, place, of } = await redisBudget();
    const budget = await of('o/1');
    expect(await budget.reserve('a', amounts(0.5, 1))).toBe(true);
    await removeRedisBudget(place);
    await expect(budget.reserve('b', amounts(0.1, 1))).rejects.toThrow('GONE');
    expect(await redis.keys('*')).toEqual([]);
  });

  test('that is closed admits nothing, and goes on when it is created again, with at least what is known', async () => {
    const { redis, place, of } = await redisBudget();
    const budget = await of('o/1');
    await budget.reserve('a', amounts(0.5, 1));
    await budget.reserve('b', amounts(0.4, 1));
    await closeRedisBudget(place, 60_000);
    await expect(budget.reserve('c', amounts(0.1, 1))).rejects.toThrow('GONE');
    // The answer to a call that was under way.
    await budget.settle('a', amounts(0.3, 1));
    for (const key of await redis.keys('*')) expect(await redis.pttl(key)).toBeGreaterThan(0);

    const known = { spent: amounts(0.2, 5), ifLost: amounts(9, 9, 9) };
    await createRedisBudget(place, known);
    expect(await budget.totals()).toEqual({ spent: amounts(0.3, 5), held: amounts(0.4, 1) });
    for (const key of await redis.keys('*')) expect(await redis.pttl(key)).toBe(-1);
    await removeRedisBudget(place);
    await createRedisBudget(place, known);
    expect(await budget.totals()).toEqual({ spent: amounts(9, 9, 9), held: amounts(0, 0, 0) });
  });

  test('counts the open calls of all earlier deliveries of a job, and of no other', async () => {
    const { place, of } = await redisBudget();
    const owners = ['job/1', 'job/2', 'job/9', 'job/10', 'job2/1', 'jo/1'];
    for (const owner of owners) await (await of(owner)).reserve(owner, amounts(0.1, 1));
    await settleCallsOf({ job: 'job', before: 10 }, place);
    const { totals } = await of('x/1');
    expect(await totals()).toEqual({ spent: amounts(0.3, 3, 3), held: amounts(0.3, 3, 3) });
    await settleCallsOf({ job: 'job', before: 11 }, place);
    expect((await totals()).held).toEqual(amounts(0.2, 2, 2));
  });
});
