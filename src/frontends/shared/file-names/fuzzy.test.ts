import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexNames, search } from './fuzzy.ts';

const names = (query: string, all: string[]) => search(indexNames(all), query, 10).map(({ name }) => name);

describe('the best match comes first', () => {
  test.each<[query: string, better: string, worse: string]>([
    ['app', 'src/app.ts', 'app/src/main.ts'],
    ['editor', 'src/tui/editor.ts', 'src/editor/long-name-of-a-file.ts'],
    ['ph', 'session/prompt-history.ts', 'session/graph.ts'],
    ['prohis', 'session/prompt-history.ts', 'pro/h/i/s/other.ts'],
    ['tool.ts', 'contract/tool.ts', 'contract/tool.test.ts'],
    ['rm', 'docs/README.md', 'docs/arm/x.md'],
    ['rm', 'cli/ReadModel.ts', 'cli/alarm.ts'],
    ['src/a', 'src/a.ts', 'lib/src/b/a.ts'],
  ])('%s: %s before %s', (query, better, worse) => {
    expect(names(query, [worse, better])).toEqual([better, worse]);
  });
});

test('equal matches keep their order, and an empty query matches everything', () => {
  expect(names('x', ['ax.a', 'bx.a', 'cx.a'])).toEqual(['ax.a', 'bx.a', 'cx.a']);
  expect(names('', ['b', 'a'])).toEqual(['b', 'a']);
});

test('matching characters are marked', () => {
  expect(search(indexNames(['src/prompt-history.ts']), 'phis', 1)).toEqual([
    { name: 'src/prompt-history.ts', marks: [4, 11, 12, 13] },
  ]);
});

test('every result contains the query in order, and no such name is missing', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abcAB/._-9é漢İ'), maxLength: 12 });
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 20 }), text, (all, query) => {
      const found = search(indexNames(all), query, 100);
      const lower = (one: string) => (one.toLowerCase().length === one.length ? one.toLowerCase() : one);
      const holds = (name: string) => {
        let at = 0;
        for (const unit of lower(query).split('')) {
          at = lower(name).indexOf(unit, at) + 1;
          if (at === 0) return false;
        }
        return true;
      };
      expect(found.map(({ name }) => name).toSorted()).toEqual(all.filter(holds).toSorted());
      for (const { name, marks } of found) {
        expect(marks.map((at) => lower(name)[at]).join('')).toBe(lower(query));
      }
    }),
  );
});

test('of many matches only the best are kept', () => {
  const all = Array.from({ length: 500 }, (_, i) => `folder/file-${i}.ts`);
  expect(search(indexNames(all), 'file7', 3).map(({ name }) => name)).toEqual([
    'folder/file-7.ts',
    'folder/file-70.ts',
    'folder/file-71.ts',
  ]);
});
