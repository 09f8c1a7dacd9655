import { expect, test } from 'vitest';
import { countOf, type Summary, summaryOf } from '../../contract/display.ts';
import { explorationText, summaryText } from './summary.ts';

const cases: [Summary | undefined, string][] = [
  [countOf('line', 11), '11 lines'],
  [countOf('line', 1, { total: 1 }), '1 line'],
  [countOf('line', 200, { total: 1234 }), '200 of 1,234 lines'],
  [countOf('match', 3, { files: 2 }), '3 matches in 2 files'],
  [countOf('match', 1, { files: 1 }), '1 match in 1 file'],
  [countOf('match', 0, { files: 0 }), '0 matches'],
  [countOf('entry', 2), '2 entries'],
  [countOf('page', 3, { total: 12 }), '3 of 12 pages'],
  [{ kind: 'change', added: 3, removed: 1, files: 1 }, '+3 −1'],
  [{ kind: 'change', added: 3, removed: 0, files: 1 }, '+3'],
  [{ kind: 'change', added: 0, removed: 12, files: 2 }, '2 files −12'],
  [{ kind: 'change', added: 0, removed: 0, files: 1 }, 'no change'],
  [{ kind: 'exit', exitCode: 2 }, 'exit 2'],
  [{ kind: 'exit', exitCode: null }, 'killed'],
  [{ kind: 'exit', exitCode: null, timedOut: true }, 'timed out'],
  [{ kind: 'started', id: 'bg_1' }, 'started as bg_1'],
  [{ kind: 'interrupted' }, 'interrupted'],
  [summaryOf({ kind: 'files', paths: ['a'], total: 340 }), '340 files'],
  [summaryOf({ kind: 'command', command: 'x', exitCode: 1, output: '' }), 'exit 1'],
  [summaryOf({ kind: 'diff', path: 'a', patch: '', added: 2, removed: 0 }), '+2'],
  [
    summaryOf({
      kind: 'diffs',
      diffs: [
        { path: 'a', patch: '', added: 2, removed: 0 },
        { path: 'b', patch: '', added: 1, removed: 4 },
      ],
    }),
    '2 files +3 −4',
  ],
];

test.each(cases)('%j reads %s', (summary, words) => {
  expect(summary && summaryText(summary)).toBe(words);
});

test('texts and task lists have no summary', () => {
  expect([
    summaryOf({ kind: 'text', text: 'x' }),
    summaryOf({ kind: 'todos', items: [] }),
    summaryOf(undefined),
  ]).toEqual([undefined, undefined, undefined]);
});

test('an exploration counts each file, pattern and folder once', () => {
  const calls = [
    { explores: 'file', title: 'Read a.ts' },
    { explores: 'pattern', title: 'Grep login' },
    { explores: 'file', title: 'Read b.ts' },
    { explores: 'file', title: 'Read a.ts' },
    { explores: 'folder', title: 'List src' },
  ] as const;
  expect(explorationText(calls)).toBe('read 2 files, searched 1 pattern, listed 1 folder');
});
