import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { settled } from '../../../config/schema/check-settings.ts';
import { modesByStrictness, statusParts } from '../../../config/schema/schema.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { Line, Status } from '../view/types.ts';
import { statusLine } from './status-bar.ts';

const theme = themeOf('dark', '16');
const room = { parts: statusParts, columns: 120, theme, modeKey: 'shift+tab' };
const words = (line: Line) => line.map(({ text }) => text).join('');
const halves = (line: Line) => words(line).split(/ {2,}/);

const status: Status = {
  model: 'claude-sonnet-4-5-20250929',
  mode: 'accept-edits',
  sandboxed: true,
  context: { tokens: 68_000, window: 200_000 },
  costUsd: 0.124,
  cacheHit: 0.91,
  branch: 'main',
  shells: 1,
  elapsedMs: 65_000,
};

test('the mode with its key on the left, the model, its context and the cost on the right', () => {
  const line = statusLine(status, { ...room, parts: ['mode', 'model', 'context', 'cost'], columns: 80 });

  expect(halves(line)).toEqual(['accept edits on (shift+tab)', 'sonnet-4.5 · 34% context · $0.12']);
  expect(widthOfLine(line)).toBe(80);
});

test('every part, each half in the configured order', () => {
  expect(halves(statusLine(status, room))).toEqual([
    'accept edits on (shift+tab) · ⎇ main · 1 shell',
    'sonnet-4.5 · 34% context · $0.12 · 91% cached · 1m 05s',
  ]);
  expect(halves(statusLine(status, { ...room, parts: ['cost', 'branch', 'model', 'mode'] }))).toEqual([
    '⎇ main · accept edits on (shift+tab)',
    '$0.12 · sonnet-4.5',
  ]);
  expect(words(statusLine(status, { ...room, parts: ['branch'] }))).toBe('⎇ main');
  expect(words(statusLine(status, { ...room, parts: [] }))).toBe('');
});

test.each([
  ['read-only', 'read-only on (shift+tab)'],
  ['plan', 'plan mode on (shift+tab)'],
  ['default', 'asks before changes (shift+tab)'],
  ['accept-edits', 'accept edits on (shift+tab)'],
  ['auto', 'auto mode on (shift+tab)'],
] as const)('%s reads "%s"', (mode, text) => {
  expect(words(statusLine({ ...status, mode }, { ...room, parts: ['mode'] }))).toBe(text);
});

test('without a key for the mode none is named', () => {
  const line = statusLine(status, { ...room, parts: ['mode'], modeKey: '' });
  expect(words(line)).toBe('accept edits on');
});

test('normal states are not shown', () => {
  const fresh: Status = {
    ...status,
    context: { tokens: 0, window: 1 },
    costUsd: 0,
    cacheHit: 0,
    branch: null,
    shells: 0,
    elapsedMs: null,
  };

  expect(halves(statusLine(fresh, room))).toEqual(['accept edits on (shift+tab)', 'sonnet-4.5']);
  expect(halves(statusLine({ ...fresh, model: '', costUsd: null, cacheHit: null }, room))).toEqual([
    'accept edits on (shift+tab)',
  ]);
});

test.each<[string, Partial<Status>]>([
  ['no sandbox', { sandboxed: false }],
  ['85% context', { context: { tokens: 170_000, window: 200_000 } }],
  ['auto mode on', { mode: 'auto' }],
])('%s is shown in the warning color, and stays longest', (text, abnormal) => {
  const line = statusLine({ ...status, ...abnormal }, room);
  expect(line.find((span) => span.text === text)?.style).toEqual(theme.styles.warning);
  const others = line.filter((span) => span.text !== text).map(({ style }) => style);
  expect(others).not.toContainEqual(theme.styles.warning);
  expect(words(statusLine({ ...status, ...abnormal }, { ...room, columns: text.length }))).toBe(text);
});

const anyStatus = fc.record({
  model: fc.oneof(
    fc.constantFrom('', 'sonnet', '日本語モデル', 'vendor/a-very-long-model-name-with-parts'),
    fc.string(),
  ),
  mode: fc.constantFrom(...modesByStrictness),
  sandboxed: fc.boolean(),
  context: fc.option(fc.record({ tokens: fc.nat(300_000), window: fc.integer({ min: 1, max: 300_000 }) })),
  costUsd: fc.option(fc.double({ min: 0, max: 10_000, noNaN: true })),
  cacheHit: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  branch: fc.option(fc.oneof(fc.constantFrom('main', 'feature/日本語'), fc.string())),
  shells: fc.nat(12),
  elapsedMs: fc.option(fc.nat(10_000_000)),
});

test('whatever the status, the line is one row that fits, and full only if it has a right half', () => {
  const parts = fc.uniqueArray(fc.constantFrom(...statusParts));
  fc.assert(
    fc.property(anyStatus, parts, fc.integer({ min: 1, max: 200 }), (any, shown, columns) => {
      const line = statusLine(any, { ...room, parts: shown, columns });
      expect(widthOfLine(line)).toBeLessThanOrEqual(columns);
      expect(words(line)).not.toContain('\n');
    }),
  );
});

test('with less room, the less important parts go first, and the last is cut', () => {
  const { statusBar } = settled({});
  const at = (columns: number) =>
    words(statusLine({ ...status, sandboxed: false }, { ...room, parts: statusBar, columns }));
  const order = ['(shift+tab)', '⎇ main', '1 shell', '$0.12', '34% context', 'sonnet-4.5', 'accept edits on'];
  const needed = order.map((part) => {
    for (let columns = 1; columns <= 120; columns++) if (at(columns).includes(part)) return columns;
    return Number.POSITIVE_INFINITY;
  });

  expect(needed.toSorted((a, b) => b - a)).toEqual(needed);
  expect(needed[0]).toBeLessThan(100);
  expect(at(40)).toBe('accept edits on · no sandbox  sonnet-4.5');
  expect(at(9)).toBe('no sandb…');
});
