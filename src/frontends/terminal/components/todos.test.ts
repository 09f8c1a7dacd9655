import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import { todoChanges } from '../view/todos.ts';
import type { Line, Todo } from '../view/types.ts';
import { pinnedTodos, todoChangeLines } from './todos.ts';

const theme = themeOf('dark', 'none');
const room = { columns: 40, theme, rows: 6 };
const words = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''));
const list = (states: string): Todo[] =>
  [...states].map((state, i) => ({
    text: `task ${i}`,
    status: state === 'x' ? 'done' : state === '>' ? 'in_progress' : 'pending',
  }));

test.each([
  ['x>..', ['✓ task 0', '◐ task 1', '☐ task 2', '☐ task 3']],
  ['xxxxx>....', ['✓ task 4', '◐ task 5', '☐ task 6', '☐ task 7', '☐ task 8', '+5 more']],
  ['.......>', ['☐ task 3', '☐ task 4', '☐ task 5', '☐ task 6', '◐ task 7', '+3 more']],
  ['xx', []],
  ['', []],
])('%s is pinned around what is in progress', (states, rows) => {
  expect(words(pinnedTodos(list(states), room))).toEqual(rows.map((row) => `  ${row}`));
});

test('only the current item is bold', () => {
  const bold = pinnedTodos(list('x>.'), room).map((line) => line[0]?.style?.bold === true);
  expect(bold).toEqual([false, true, false]);
});

const todos = fc.array(
  fc.record({
    text: fc.oneof(fc.constantFrom('a', 'b', 'c\nd', '日本語'.repeat(30)), fc.string({ minLength: 1 })),
    status: fc.constantFrom('pending' as const, 'in_progress' as const, 'done' as const),
  }),
);

test('the pinned list fits any room, and always shows the first item in progress', () => {
  fc.assert(
    fc.property(
      todos,
      fc.integer({ min: 4, max: 90 }),
      fc.integer({ min: -1, max: 9 }),
      (items, columns, rows) => {
        const lines = pinnedTodos(items, { columns, theme, rows });
        expect(lines.length).toBeLessThanOrEqual(Math.max(0, rows));
        expect(Math.max(0, ...lines.map(widthOfLine))).toBeLessThanOrEqual(columns);
        const active = items.some(({ status }) => status === 'in_progress');
        expect(words(lines).some((row) => row.includes('◐'))).toBe(active && rows > 0);
      },
    ),
  );
});

test('only what changed is added to the transcript: done, added, removed', () => {
  const changes = (before: string, after: string) => {
    const lines = todoChangeLines(todoChanges(list(before), list(after)), room);
    return words(lines);
  };
  expect(changes('', '>..')).toEqual(['☐ task 0 · task 1 · task 2']);
  expect(changes('>..', 'x>.')).toEqual(['✓ task 0']);
  expect(changes('x>.', 'x.>')).toEqual([]);
  expect(changes('x>.', 'xxx')).toEqual(['✓ task 1 · task 2']);
  expect(changes('x>', 'xx>')).toEqual(['✓ task 1', '☐ task 2']);
  expect(changes('x>.', 'x>')).toEqual(['− task 2']);
});

test('two lists differ by exactly the changes between them', () => {
  fc.assert(
    fc.property(todos, todos, (before, after) => {
      const { done, added, removed } = todoChanges(before, after);
      const texts = (items: readonly Todo[]) => items.map(({ text }) => text).toSorted();
      const kept = texts(before);
      for (const text of removed) kept.splice(kept.indexOf(text), 1);
      const expected = texts(after);
      for (const text of added) expected.splice(expected.indexOf(text), 1);
      // A new item may be done at once.
      const fresh = expected.filter((text) => !kept.includes(text));
      expect(done).toEqual(expect.arrayContaining(fresh));
      expect(todoChanges(after, after)).toEqual({ done: [], added: [], removed: [] });
      for (const text of done) expect(after).toContainEqual({ text, status: 'done' });
    }),
  );
});
