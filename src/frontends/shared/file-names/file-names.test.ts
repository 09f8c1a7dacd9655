import { expect, test } from 'vitest';
import { FileNames } from './file-names.ts';

function namesOf(lists: (readonly string[] | Error)[]) {
  const clock = { now: 0, changes: 0, lists: 0 };
  const names = new FileNames({
    list: async () => {
      const list = lists[Math.min(clock.lists++, lists.length - 1)] ?? [];
      if (list instanceof Error) throw list;
      return list;
    },
    now: () => clock.now,
    onChange: () => {
      clock.changes++;
    },
  });
  const found = (query: string) => names.search(query, 10)?.map(({ name }) => name) ?? null;
  return { names, clock, found };
}

test('the first query starts the listing; folders are included', async () => {
  const { names, clock, found } = namesOf([['src/a.ts', 'src/tui/b.ts', 'c.ts']]);

  expect(found('')).toBeNull();
  await names.refresh();

  expect(found('')).toEqual(['src/', 'src/a.ts', 'src/tui/', 'src/tui/b.ts', 'c.ts']);
  expect(clock).toEqual({ now: 0, changes: 1, lists: 1 });
});

test('an old list is used until the new one is ready', async () => {
  const { names, clock, found } = namesOf([['a.ts'], ['a.ts', 'b.ts']]);
  await names.refresh();
  clock.now = 11_000;

  expect(found('')).toEqual(['a.ts']);
  await names.refresh();

  expect(found('')).toEqual(['a.ts', 'b.ts']);
  expect(clock).toEqual({ now: 11_000, changes: 2, lists: 2 });
});

test('a failed listing keeps the old one, and is not retried immediately', async () => {
  const { names, clock, found } = namesOf([['a.ts'], new Error('no ripgrep')]);
  await names.refresh();
  clock.now = 11_000;
  found('');
  await names.refresh();

  expect(found('')).toEqual(['a.ts']);
  expect(clock).toEqual({ now: 11_000, changes: 1, lists: 2 });
});
