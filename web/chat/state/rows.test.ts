import { expect, test } from 'vitest';
import { rowsOf } from './rows.ts';
import type { CallItem, Item } from './view.ts';

function call(key: number, kind: CallItem['kind'], more: Partial<CallItem> = {}): CallItem {
  return {
    ...{ type: 'call', key, callId: `c${key}`, title: '', kind, status: 'completed', content: [] },
    ...{ locations: [], startedAt: 0, printed: '', children: [] },
    ...more,
  };
}

const said: Item = { type: 'notice', key: 100, severity: 'info', text: 'x' };
const shown = (items: Item[], asked: string[] = []) =>
  rowsOf(items, new Set(asked)).map((row) =>
    row.type === 'group' ? row.calls.map(({ key }) => key) : row.key,
  );

test.each<[string, Item[], unknown[]]>([
  ['nothing', [], []],
  ['one read', [call(1, 'read')], [1]],
  ['reads and searches in a row', [call(1, 'read'), call(2, 'search'), call(3, 'read')], [[1, 2, 3]]],
  ['something in between', [call(1, 'read'), said, call(2, 'read')], [1, 100, 2]],
  [
    'an edit in between',
    [call(1, 'read'), call(2, 'read'), call(3, 'edit'), call(4, 'read')],
    [[1, 2], 3, 4],
  ],
  ['commands', [call(1, 'execute'), call(2, 'execute')], [1, 2]],
  [
    'one that somebody decided about',
    [call(1, 'read'), call(2, 'read', { decision: { option: null } }), call(3, 'read')],
    [1, 2, 3],
  ],
])('%s', (_, items, rows) => {
  expect(shown(items)).toEqual(rows);
});

test('a call that waits for an answer is a row of its own', () => {
  expect(shown([call(1, 'read'), call(2, 'read'), call(3, 'read')], ['c3'])).toEqual([[1, 2], 3]);
});

test('a group that has not changed is the same object', () => {
  const [first, second] = [call(1, 'read'), call(2, 'read')];
  const [before] = rowsOf([first, second], new Set());
  expect(rowsOf([first, second, said], new Set())[0]).toBe(before);
  expect(rowsOf([first, { ...second, status: 'failed' as const }], new Set())[0]).not.toBe(before);
});
