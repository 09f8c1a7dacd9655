import { describe, expect, test } from 'vitest';
import { KeyDecoder } from './key-decoder.ts';
import { type Action, bindings, createKeymap, keyLabel, strokeOf } from './keymap.ts';

const actions = Object.keys(bindings) as Action[];

test('no key has two meanings in one place', () => {
  const { keymap } = createKeymap();
  expect(actions.map((action) => [action, keymap.keysOf(action)])).toEqual(
    actions.map((action) => [action, bindings[action].keys]),
  );
});

test('every built-in key could also be written in the settings', () => {
  const own = Object.fromEntries(actions.map((action) => [action, bindings[action].keys]));
  const { keymap, problems } = createKeymap(own);
  expect(problems).toEqual([]);
  for (const action of actions) expect(keymap.keysOf(action)).toEqual(bindings[action].keys);
});

test('a custom key is removed from the action that had it, and only there', () => {
  const { keymap } = createKeymap({ undo: ['ctrl+z', 'Control+A'] });
  expect([keymap.find('prompt', 'ctrl+z'), keymap.find('prompt', 'ctrl+_')]).toEqual(['undo', null]);
  expect([keymap.find('prompt', 'ctrl+a'), keymap.find('search', 'ctrl+a')]).toEqual([
    'undo',
    'search-accept',
  ]);
  expect(keymap.keysOf('suspend')).toEqual([]);
  expect(keymap.keysOf('line-start')).toEqual(['home']);
});

describe('a press is written as in the keymap', () => {
  test.each<[bytes: string, stroke: string]>([
    ['a', 'a'],
    ['A', 'A'],
    [' ', 'space'],
    ['?', '?'],
    ['\x01', 'ctrl+a'],
    ['\x1bb', 'alt+b'],
    ['\x1b<', 'alt+<'],
    ['\x1b[13;2u', 'shift+return'],
    ['\x1b[1;6C', 'ctrl+shift+right'],
    ['\x1b[45;6u', 'ctrl+-'],
    ['\x1f', 'ctrl+_'],
    ['\x1b[Z', 'shift+tab'],
  ])('%j is %s', (bytes, stroke) => {
    const [key] = new KeyDecoder().push(bytes);
    expect(key?.type === 'key' && strokeOf(key)).toBe(stroke);
  });
});

test('keys are shown in the usual notation', () => {
  expect(['ctrl+x ctrl+e', 'return', 'alt++', '?', 'f5'].map(keyLabel)).toEqual([
    'Ctrl+X Ctrl+E',
    'Enter',
    'Alt++',
    '?',
    'F5',
  ]);
});
