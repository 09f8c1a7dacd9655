import { expect, test } from 'vitest';
import { createKeymap } from '../keyboard/keymap.ts';
import { themeOf } from '../theme/theme.ts';
import { helpLines } from './help-lines.ts';

const rows = (columns: number, settings = {}) =>
  helpLines(createKeymap(settings).keymap, { columns, theme: themeOf('dark', 'none') }).map((line) =>
    line.map(({ text }) => text).join(''),
  );

test('keys are shown as configured, without removed ones', () => {
  const told = rows(100, { submit: 'ctrl+enter', transpose: [] }).map((row) =>
    row.trim().replaceAll(/ {2,}/g, ' | '),
  );

  expect(told).toContain('Ctrl+Enter | send');
  expect(told).toContain('Shift+Enter, Alt+Enter | new line (or \\ before Enter)');
  expect(told.filter((row) => row.includes('swap two'))).toEqual([]);
});

test('no row is wider than the screen', () => {
  for (const columns of [12, 20, 40, 80]) {
    expect(Math.max(...rows(columns).map((row) => [...row].length))).toBeLessThanOrEqual(columns);
  }
});
