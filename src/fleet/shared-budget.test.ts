import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { openLocalBudget } from './shared-budget.ts';

test('a resumed batch keeps what it has spent, and takes its new limits', async () => {
  const { home } = await workspace();
  const folder = path.join(home, 'batch', 'budget');
  const { budget, env } = await openLocalBudget(folder, { limits: '$1' });
  expect(env).toEqual({ AI_ASSISTANT_SHARED_BUDGET: path.join(folder, 'budget.json') });
  await budget.reserve('a', { usd: 1, tokens: 10, turns: 1 });
  await budget.settle('a', { usd: 0.9, tokens: 9, turns: 1 });
  expect(await budget.reserve('b', { usd: 0.2, tokens: 10, turns: 1 })).toBe(false);

  const resumed = await openLocalBudget(folder, { limits: '$2' });
  expect(resumed.budget.limits).toEqual([{ unit: 'usd', amount: 2 }]);
  expect((await resumed.budget.totals()).spent).toEqual({ usd: 0.9, tokens: 9, turns: 1 });
  expect(await resumed.budget.reserve('b', { usd: 0.2, tokens: 10, turns: 1 })).toBe(true);
});
