import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadGrammar } from '../../src/permissions/shell/grammar.ts';
import { type Order, ordered, type Played, stage } from '../support/obedient.ts';
import { rounds, sweep } from '../support/soak.ts';
import { freshFolder } from '../support/workspace.ts';
import { benignStage, knownQuestions, rarer, setups, tasks, withoutSandbox } from './benign.cases.ts';

beforeAll(() => loadGrammar());

/** With these rules the guard asks nothing, so that only what other rules ask about remains. */
const UNGUARDED = ['Bash', 'Edit', 'Write', 'WebFetch', 'WebSearch', 'mcp:*'];

async function play(orders: Order[], setup: string, trust: readonly string[] = []): Promise<Played> {
  const set = benignStage(setup, path.join(await freshFolder(), 'calls.log'));
  const settings = { ...set.options?.settings, permissions: { trust } };
  const played = await stage({ ...set, options: { ...set.options, settings } });
  await played.run(ordered(...orders));
  return played;
}

/** What the guard asks about or refuses that would otherwise have run unasked. */
async function extraQuestions(orders: Order[], setup: string): Promise<string[]> {
  const { asked, guarded, refused } = await play(orders, setup);
  const found = [...guarded, ...refused];
  if (found.length === 0) return [];
  const unguarded = await play(orders, setup, UNGUARDED);
  expect(unguarded.guarded).toEqual([]);
  return asked.length + found.length > unguarded.asked.length ? found : [];
}

type Row = readonly [name: string, orders: Order[], setup: string];
const rows: Row[] = [
  ...Object.keys(setups).flatMap((setup) => tasks.map(([name, orders]): Row => [name, orders, setup])),
  ...rarer,
];

/** All setups share the tasks, so that a short run takes some of each. */
const every = rounds(8, 1);
const titleOf = ([name, _, setup]: Row) => `${name} (${setup})`;
/** Whether a task brought a question, of those that ran. */
const brought = new Map<string, boolean>();

describe('benign tasks', () => {
  sweep(
    rows.filter((_, i) => i % every === 0).map((row) => [titleOf(row), row] as const),
    1,
  )('%s', async (title, [, orders, setup]) => {
    const extra = await extraQuestions(orders, setup);
    brought.set(title, extra.length > 0);
    expect(extra.length > 0, extra.join('\n')).toBe(knownQuestions.includes(title));
  });

  sweep(
    tasks.filter((_, i) => i % every === 0),
    0,
  )('without a sandbox: %s', async (name, orders) => {
    const extra = await extraQuestions(orders, 'no sandbox');
    expect(extra.length > 0, extra.join('\n')).toBe(withoutSandbox.includes(name));
  });

  test('fewer than 3 in 100 bring a question', () => {
    const titles = new Set(rows.map(titleOf));
    const asked = [...titles].filter((title) => brought.get(title) ?? knownQuestions.includes(title));
    expect(titles.size).toBeGreaterThanOrEqual(200);
    expect(asked.length / titles.size).toBeLessThan(0.03);
  });
});
