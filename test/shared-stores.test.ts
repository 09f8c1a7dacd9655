import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { runTogether } from './support/run-together.ts';
import { stores } from './support/shared-stores.ts';
import { sweep } from './support/soak.ts';
import { workspace } from './support/workspace.ts';

const PROCESSES = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox', 'gnu', 'hen'];
const EACH = 6;

const all = PROCESSES.flatMap((own) => Array.from({ length: EACH }, (_, i) => `${own}-${i}`));

/** What is there when nothing was lost, where that is not simply everything. */
const wholeOf: Record<string, (items: string[]) => void> = {
  looks: (items) => expect(items.sort()).toEqual(PROCESSES),
  'the daily look for an update': (items) => expect(items).toHaveLength(1),
  'typed prompts': (items) => {
    // Old ones go, so of each process the last ones are there, without a gap.
    expect(items.length).toBeGreaterThanOrEqual(4);
    for (const own of PROCESSES) {
      const kept = items.flatMap((item) => (item.startsWith(own) ? [Number(item.split('-')[1])] : []));
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => EACH - kept.length + i));
    }
  },
};

sweep(Object.keys(stores))(
  'several processes that change one file lose nothing: %s',
  async (name) => {
    const { home, root } = await workspace();
    const each = PROCESSES.map((own) => [name, root, own, String(EACH)]);
    await runTogether('add-to-store.ts', { folder: home, each });
    const items = stores[name]?.items(root) ?? [];
    (wholeOf[name] ?? ((found) => expect(found.sort()).toEqual(all)))(items);
    const left = readdirSync(root, { recursive: true, encoding: 'utf8' });
    expect(left.filter((file) => /\.lock|\.tmp/.test(file))).toEqual([]);
  },
  { timeout: 120_000 },
);
