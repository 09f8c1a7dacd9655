import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { Todo } from '../contract/tool.ts';
import { todo } from './todo.ts';

const item = (text: string, status: Todo['status']): Todo => ({ text, status });

async function listing(items: readonly Todo[]) {
  const { context } = await bench();
  let kept: readonly Todo[] = [item('old', 'pending')];
  const todos = {
    list: () => kept,
    replace: (next: readonly Todo[]) => {
      kept = next;
    },
  };
  const result = await use(todo, { items }, { ...context, todos });
  return { result, kept };
}

describe('[U17] Todo', () => {
  test.each([
    [
      [item('a', 'done'), item('b', 'in_progress'), item('c', 'pending'), item('d', 'pending')],
      '1 done, 1 in progress, 2 pending.',
      'Todo 1/4: b',
    ],
    [
      [item('a', 'in_progress'), item('b', 'in_progress')],
      '0 done, 2 in progress, 0 pending. Keep one item in progress at a time.',
      'Todo 0/2: a',
    ],
    [[item('a', 'done')], '1 done, 0 in progress, 0 pending.', 'Todo 1/1'],
    [[], 'The list is now empty.', 'Todo 0/0'],
  ])('replaces the list: %j', async (items, output, title) => {
    expect(await listing(items)).toEqual({
      result: { success: true, output, display: { kind: 'todos', items } },
      kept: items,
    });
    expect(todo.title({ items }, String)).toBe(title);
  });

  test('needs no access, and refuses an invalid list', () => {
    expect(todo.access({ items: [] })).toEqual([]);
    for (const items of [
      undefined,
      'a',
      [{ text: 'a' }],
      [{ text: '', status: 'done' }],
      [item('a', 'later' as never)],
    ])
      expect(todo.input.safeParse({ items }).success).toBe(false);
  });
});
