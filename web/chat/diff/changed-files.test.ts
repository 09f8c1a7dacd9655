import { expect, test } from 'vitest';
import { changedFiles } from './changed-files.ts';

test('hunks are shown as lines of a diff, other changes in words', () => {
  const counts = { added: 1, removed: 1, notes: [] };
  const lines = { oldStart: 2, oldText: 'b\n', newStart: 2, newText: 'B\n' };
  const patch = '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n';
  expect(
    changedFiles([
      {
        path: '/project/a.ts',
        change: 'changed',
        ...counts,
        hunks: [
          { id: '1', what: 'line 2', ...counts, patch, lines },
          { id: '2', what: 'mode 644 → 755', ...counts, patch: '', lines: null },
        ],
      },
      { path: '/project/b.ts', change: 'new', ...counts, hunks: [] },
    ]),
  ).toEqual([
    {
      path: '/project/a.ts',
      status: 'modified',
      hunks: [
        { id: '1', oldStart: 1, newStart: 1, lines: [' a', '-b', '+B', ' c'] },
        { id: '2', oldStart: 0, newStart: 0, lines: [' mode 644 → 755'] },
      ],
    },
    { path: '/project/b.ts', status: 'added', hunks: [] },
  ]);
});
