import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runTogether } from '../../../test/support/run-together.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { QuotaLimits } from '../../contract/quota.ts';
import { createLocalQuota } from './local-quota.ts';
import { type Cost, type Taken, waitFor } from './quota-window.ts';

const never = new AbortController().signal;
const perMinute = (requestsPerMinute: number): QuotaLimits => ({ requestsPerMinute });
const one: Cost = { requests: 1, tokens: 0 };

/** All requests, sent as soon as they are allowed. */
function sent(asked: readonly { after: number; tokens: number }[], limits: QuotaLimits): Taken[] {
  let now = 1_000_000;
  let taken: Taken[] = [];
  const all: Taken[] = [];
  for (const { after, tokens } of asked) {
    now += after;
    const cost = { requests: 1, tokens };
    for (;;) {
      const { waitMs, counting } = waitFor(taken, { cost, limits }, now);
      if (waitMs === 0) {
        taken = [...counting, { at: now, ...cost }];
        all.push({ at: now, ...cost });
        break;
      }
      expect(waitMs).toBeLessThanOrEqual(60_000);
      // A moment earlier it would have been too much.
      expect(waitFor(taken, { cost, limits }, now + waitMs - 1).waitMs).toBeGreaterThan(0);
      now += waitMs;
    }
  }
  return all;
}

describe('[U14] the sliding window', () => {
  test('no minute, wherever it starts, exceeds the limits', () => {
    const asked = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 40_000 }), tokens: fc.integer({ min: 0, max: 1000 }) }),
      { maxLength: 60 },
    );
    const limits = fc.record(
      {
        requestsPerMinute: fc.integer({ min: 1, max: 8 }),
        tokensPerMinute: fc.integer({ min: 1000, max: 5000 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(asked, limits, (wishes, { requestsPerMinute = 1e9, tokensPerMinute = 1e9 }) => {
        const all = sent(wishes, { requestsPerMinute, tokensPerMinute });
        for (const { at: begin } of all) {
          const minute = all.filter(({ at }) => at >= begin && at < begin + 60_000);
          expect(minute.length).toBeLessThanOrEqual(requestsPerMinute);
          expect(minute.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(tokensPerMinute);
        }
      }),
    );
  });

  test('a request above the limit is sent alone, when nothing else counts', () => {
    const limits = { tokensPerMinute: 100 };
    const cost = { requests: 1, tokens: 500 };
    const taken = [{ at: 1000, requests: 1, tokens: 1 }];
    expect(waitFor(taken, { cost, limits }, 31_000)).toEqual({ waitMs: 30_000, counting: taken });
    expect(waitFor(taken, { cost, limits }, 61_000)).toEqual({ waitMs: 0, counting: [] });
  });

  test('a clock that was set back delays nothing', () => {
    const taken = [{ at: 9_000_000, requests: 1, tokens: 0 }];
    expect(waitFor(taken, { cost: one, limits: perMinute(1) }, 1000)).toEqual({ waitMs: 0, counting: [] });
  });
});

describe('[U14] counts of one machine', () => {
  test('are shared by all processes: together they get exactly the limit', async () => {
    const { home } = await workspace();
    const args = [path.join(home, 'quota'), '10', '12'];
    const through = await runTogether('take-quota.ts', { folder: home, each: [args, args, args] });
    expect(through.map(Number).reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(await readdir(path.join(home, 'quota'))).toHaveLength(1);
  });

  test('a call that had to wait is not counted, and each key counts separately', async () => {
    const { home } = await workspace();
    let now = 1_000_000;
    const quota = createLocalQuota({ folder: home, onTrouble: () => undefined, now: () => now });
    const take = (key: string) => quota.take(key, { cost: one, limits: perMinute(1) }, never);
    expect([await take('a'), await take('a'), await take('a'), await take('b')]).toEqual([
      0, 60_000, 60_000, 0,
    ]);
    now += 59_999;
    expect(await take('a')).toBe(1);
    now += 1;
    expect(await take('a')).toBe(0);
  });

  test('a damaged file counts nothing; with an unwritable folder this process counts alone', async () => {
    const { home } = await workspace();
    const folder = path.join(home, 'quota');
    const troubles: string[] = [];
    const options = { onTrouble: (message: string) => troubles.push(message), now: () => 1_000_000 };
    const quota = createLocalQuota({ folder, ...options });
    const take = (from = quota) => from.take('a', { cost: one, limits: perMinute(1) }, never);
    await take();
    const [name = ''] = await readdir(folder);
    for (const damage of ['', '[{"at":1e999}]', 'null', '[1, "x"']) {
      await writeFile(path.join(folder, name), damage);
      expect(await take()).toBe(0);
    }
    expect(troubles).toEqual([]);
    await mkdir(path.join(home, 'x'));
    await writeFile(path.join(home, 'x/quota'), 'a file');
    const alone = createLocalQuota({ folder: path.join(home, 'x/quota'), ...options });
    expect([await take(alone), await take(alone)]).toEqual([0, 60_000]);
    expect(troubles).toEqual([expect.stringMatching(/^Quotas apply to this process only: /)]);
  });

  test('aborting while waiting for the file throws', async () => {
    const { home } = await workspace();
    const quota = createLocalQuota({ folder: home, onTrouble: () => undefined });
    const asked = { cost: one, limits: perMinute(1) };
    await expect(quota.take('a', asked, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });
});
