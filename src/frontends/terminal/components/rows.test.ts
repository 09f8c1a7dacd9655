import { expect, test } from 'vitest';
import { themeOf } from '../theme/theme.ts';
import type { Item, Line, LiveCall } from '../view/types.ts';
import { liveLines, queueLines } from './live-zone.ts';
import { itemLines } from './transcript.ts';

const theme = themeOf('dark', 'none');
const room = { columns: 40, theme };
const words = (line: Line) => line.map(({ text }) => text).join('');
const shown = (lines: readonly Line[]) => lines.map(words);

test('a long result is folded, with the key that shows all of it', () => {
  const output = Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n');
  const call: Item = {
    type: 'call',
    title: 'npm test',
    outcome: 'done',
    durationMs: 2_400,
    display: { kind: 'command', command: 'npm test', exitCode: 0, output },
    folded: true,
  };

  const folded = shown(itemLines(call, room));
  const whole = shown(itemLines({ ...call, folded: false }, room));

  expect(folded.slice(0, 3)).toEqual(['', '● npm test  2s', '  line 0']);
  expect(folded.at(-1)).toBe('  … 14 more lines (Ctrl+O to show all)');
  expect(whole).toHaveLength(22);
});

test('of a self-overwriting progress bar, the final state is shown', () => {
  const call: Item = {
    type: 'call',
    title: 'pull',
    outcome: 'done',
    durationMs: 1,
    display: { kind: 'command', command: 'pull', exitCode: 0, output: ' 10%\r 55%\r100%\r\ndone\r' },
    folded: true,
  };

  expect(shown(itemLines(call, room))).toEqual(['', '● pull', '  100%', '  done']);
});

test('no escape sequence of a program or model reaches the terminal', () => {
  const evil = 'a\u001b[2Jb\u0007';
  const items: Item[] = [
    { type: 'prompt', text: evil },
    { type: 'notice', level: 'warn', text: evil },
    { type: 'printed', text: evil },
    { type: 'thought', text: evil, durationMs: 1, folded: false },
    { type: 'call', title: evil, outcome: 'refused', because: evil, durationMs: 1, folded: true },
    {
      type: 'call',
      title: evil,
      outcome: 'done',
      durationMs: 1,
      display: { kind: 'text', text: evil },
      folded: true,
    },
  ];
  const calls: LiveCall[] = [{ callId: 'a', title: evil, startedAt: 0, output: evil }];
  const live = liveLines({ message: null, calls, run: null }, { ...room, rows: 10 });

  const all = [...items.flatMap((item) => itemLines(item, room)), ...live];
  expect(all.map(words).filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
});

test('running output never takes more rows than available, and shows its end', () => {
  const tail: Line[] = Array.from({ length: 50 }, (_, i) => [{ text: `row ${i}` }]);

  const lines = liveLines(
    { message: { type: 'answer', tail, begun: true }, calls: [], run: null },
    { ...room, rows: 8 },
  );

  expect(shown(lines)).toEqual(tail.slice(-8).map(words));
});

test('running thoughts show their last three rows', () => {
  const text = Array.from({ length: 9 }, (_, i) => `thought ${i}`).join('\n');

  const lines = liveLines(
    { message: { type: 'thought', text, startedAt: 0 }, calls: [], run: null },
    { ...room, rows: 20 },
  );

  expect(shown(lines)).toEqual(['', '∴ thought 6', '∴ thought 7', '∴ thought 8']);
});

test('queued prompts are listed as space allows, and the rest is counted', () => {
  const queue = ['one', 'two\nlines', 'three', 'four'].map((text) => ({ text, images: [] }));

  expect(shown(queueLines({ queue, run: null }, { ...room, columns: 80, rows: 3 }))).toEqual([
    '⧗ one',
    '⧗ two ⏎ lines',
    '  2 more. Queued; ↑ to edit',
  ]);
  expect(queueLines({ queue: [], run: null }, { ...room, rows: 3 })).toEqual([]);
});

test('during a run, queued prompts say whether they are sent with the next step or after it', () => {
  const run = { startedAt: 0, doing: '', outputTokens: 0, countedTokens: 0, retry: null };
  const rows = (...queue: { text: string; after?: true }[]) =>
    shown(
      queueLines(
        { queue: queue.map((prompt) => ({ ...prompt, images: [] })), run },
        { ...room, columns: 80, rows: 9 },
      ),
    );
  const after = true as const;

  expect(rows({ text: 'use tabs' })).toEqual(['↳ use tabs', '  Will be sent with the next step; ↑ to edit']);
  expect(rows({ text: 'later', after })).toEqual(['⧗ later', '  Queued; ↑ to edit']);
  expect(rows({ text: '/cost' }, { text: 'depends on it' })).toEqual([
    '⧗ /cost',
    '⧗ depends on it',
    '  Queued; ↑ to edit',
  ]);
  expect(rows({ text: 'later', after }, { text: 'now' }, { text: '!ls' })).toEqual([
    '⧗ later',
    '↳ now',
    '⧗ !ls',
    '  1 with the next step, 2 after the run; ↑ to edit',
  ]);
});
