import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf, keys, typedKeys } from '../../../../test/support/keys.ts';
import { noLook } from '../../../../test/support/look.ts';
import { widthOf } from '../text/measure.ts';
import type { Key } from '../view/types.ts';
import { textOfLine } from './look.ts';
import {
  listed,
  matching,
  openPicker,
  type PickerState,
  type PickItem,
  pressPicker,
  withFound,
} from './picker.ts';
import { pickerPage, renderPicker } from './picker-view.ts';
import { lineOf } from './text-line.ts';

const items: PickItem[] = [
  { id: '1', label: 'fix the login', detail: '2 days ago', words: 'abc /srv/app' },
  { id: '2', label: 'add a test', detail: '3 days ago' },
  { id: '3', label: 'login again', detail: 'just now', current: true },
];

const actions = [{ key: 'f', does: 'forget', name: 'forget' }];

function press(pressed: readonly Key[], search: 'typed' | 'none' = 'typed') {
  let state = openPicker(items, { search });
  for (const key of pressed) {
    const step = pressPicker(state, key, { items, page: 2, ...(search === 'none' && { actions }) });
    if (step.type !== 'state') return step;
    state = step.state;
  }
  return state;
}

describe('choosing', () => {
  test('starts at the current one; Enter takes the selected one', () => {
    expect(press([keys.return])).toEqual({ type: 'picked', id: '3' });
    expect(press([keys.down, keys.return])).toEqual({ type: 'picked', id: '1' });
    expect(press([keys.up, keys.return])).toEqual({ type: 'picked', id: '2' });
    expect(press([keyOf('p', { ctrl: true }), keys.return])).toEqual({ type: 'picked', id: '2' });
    expect(press([keys.pageup, keys.return])).toEqual({ type: 'picked', id: '1' });
  });

  test('typing searches, starting at the first match', () => {
    expect(press([...typedKeys('login'), keys.return])).toEqual({ type: 'picked', id: '3' });
    expect(press([...typedKeys('srv fix'), keys.return])).toEqual({ type: 'picked', id: '1' });
    expect(press([...typedKeys('nothing like it'), keys.return])).toMatchObject({
      query: lineOf('nothing like it'),
    });
  });

  test('if letters are keys, they act on the selected row', () => {
    expect(press([keys.up, ...typedKeys('f')], 'none')).toEqual({ type: 'acted', action: 'forget', id: '2' });
    expect(press(typedKeys('xyz'), 'none')).toEqual({ query: null, selected: 2 });
  });

  test('Esc and Ctrl-C close it', () => {
    expect(press([...typedKeys('log'), keys.escape])).toEqual({ type: 'closed' });
    expect(press([keyOf('c', { ctrl: true })])).toEqual({ type: 'closed' });
  });
});

test('a search finds every word anywhere, ignoring case, prefix matches first', () => {
  expect(matching(items, 'LOGIN').map(({ id }) => id)).toEqual(['3', '1']);
  expect(matching(items, 'ago 3').map(({ id }) => id)).toEqual(['2']);
  expect(matching(items, '  ').map(({ id }) => id)).toEqual(['1', '2', '3']);
});

test('deeper search results follow the matches, without duplicates, and only for the same query', () => {
  const state: PickerState = { query: lineOf('login'), selected: 0 };
  const found = {
    query: 'login',
    items: [
      { id: '2', label: 'add a test' },
      { id: '1', label: 'fix the login' },
    ],
  };
  expect(listed(state, withFound(items, found, state)).map(({ id }) => id)).toEqual(['3', '1', '2']);
  expect(withFound(items, { ...found, query: 'logi' }, state)).toEqual(items);
});

test('at 40x12 the list, the search and the keys are visible', () => {
  const many = Array.from({ length: 30 }, (_, i) => ({ id: `${i}`, label: `session ${i}`, detail: 'today' }));
  const text = { title: 'Sessions', none: 'none', takes: 'go on with it' };
  const frame = { columns: 40, rows: 12, look: noLook };
  const state = { ...openPicker(many, { search: 'typed' }), selected: 15 };
  expect(
    renderPicker(state, { items: many, text, preview: [[{ text: 'a look' }]] }, frame).map(textOfLine),
  ).toEqual([
    'Sessions (16 of 30)',
    'Search:  ',
    ...[11, 12, 13, 14].map((i) => `   session ${i}`),
    '❯  session 15',
    ...[16, 17, 18, 19].map((i) => `   session ${i}`),
    'enter go on with it   esc close',
  ]);
});

test('for any list and keys, it fits the screen, and the selected row is visible', () => {
  const item = fc.record({
    id: fc.uuid(),
    label: fc.string({ unit: 'grapheme', maxLength: 50 }),
    detail: fc.string({ unit: 'grapheme', maxLength: 50 }),
  });
  const pressed = fc.constantFrom(
    keys.up,
    keys.down,
    keys.pageup,
    keys.pagedown,
    keys.backspace,
    ...typedKeys('ae1 '),
  );
  const room = fc.record({
    columns: fc.integer({ min: 40, max: 100 }),
    rows: fc.integer({ min: 6, max: 30 }),
  });
  const list = fc.uniqueArray(item, { maxLength: 40, selector: ({ id }) => id });
  fc.assert(
    fc.property(list, fc.array(pressed, { maxLength: 20 }), room, (all, typed, size) => {
      const frame = { ...size, look: noLook };
      let state = openPicker(all, { search: 'typed' });
      for (const key of typed) {
        const step = pressPicker(state, key, { items: all, page: pickerPage(state, frame, 'shown') });
        if (step.type === 'state') state = step.state;
      }
      const text = { title: 'Things', none: 'There are none.', takes: 'take it' };
      const preview = Array.from({ length: 50 }, () => [{ text: 'look' }]);
      const shown = renderPicker(state, { items: all, text, preview }, frame).map(textOfLine);
      expect(shown.length).toBeLessThanOrEqual(size.rows);
      expect(shown.filter((row) => widthOf(row) > size.columns)).toEqual([]);
      const some = listed(state, all).length > 0;
      expect(shown.some((row) => row.startsWith('❯'))).toBe(some);
      expect(shown.at(-1)).toMatch(/^enter take it/);
    }),
  );
});
