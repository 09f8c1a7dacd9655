import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadGrammar } from '../../src/permissions/shell/grammar.ts';
import { type Order, ordered, type Played, stage } from '../support/obedient.ts';
import { rounds, sweep } from '../support/soak.ts';
import { freshFolder } from '../support/workspace.ts';
import { benignStage, knownQuestions, rarer, setups, tasks } from './benign.cases.ts';

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
  const { guarded, refused } = await play(orders, setup);
  const found = [...guarded, ...refused];
  if (found.length === 0) return [];
  const { asked, guarded: none } = await play(orders, setup, UNGUARDED);
  expect(none).toEqual([]);
  return found.length > asked.length ? found : [];
}

type Row = readonly [name: string, orders: Order[], setup: string];
const rows: Row[] = [
  ...Object.keys(setups).flatMap((setup) => tasks.map(([name, orders]): Row => [name, orders, setup])),
  ...rarer,
];

/** All setups share the tasks, so that a short run takes some of each. */
const every = rounds(8, 1);

describe('benign tasks', () => {
  sweep(
    rows.filter((_, i) => i % every === 0).map((row) => [`${row[0]} (${row[2]})`, row] as const),
    3,
  )('%s', async (title, [, orders, setup]) => {
    const extra = await extraQuestions(orders, setup);
    expect(extra.length > 0, extra.join('\n')).toBe(knownQuestions.includes(title));
  });

  test('fewer than 3 in 100 bring a question', () => {
    expect(rows.length).toBeGreaterThanOrEqual(200);
    expect(knownQuestions.length / rows.length).toBeLessThan(0.03);
  });
});
