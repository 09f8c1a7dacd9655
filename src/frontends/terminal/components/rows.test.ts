import { expect, test } from 'vitest';
import { countOf } from '../../../contract/display.ts';
import { widthOfLine } from '../text/wrap.ts';
import { themeOf } from '../theme/theme.ts';
import type { ExploredCall, Item, Line, LiveCall } from '../view/types.ts';
import { liveLines, queueLines } from './live-zone.ts';
import { itemLines } from './transcript.ts';

const theme = themeOf('dark', 'none');
const room = { columns: 40, theme, now: 0 };
const idle = { message: null, calls: [], explored: [], subagents: [], run: null };
const words = (line: Line) => line.map(({ text }) => text).join('');
const shown = (lines: readonly Line[]) => lines.map(words);

type CallItem = Extract<Item, { type: 'call' }>;

const command = (change: Partial<CallItem>, output = ''): Item => ({
  type: 'call',
  title: 'Bash npm test',
  outcome: 'done',
  durationMs: 2_400,
  summary: { kind: 'exit', exitCode: 0 },
  display: { kind: 'command', command: 'npm test', exitCode: 0, output },
  folded: true,
  ...change,
});

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n');

test('a folded output keeps its ends, and a failed one more of its end', () => {
  expect(shown(itemLines(command({}, numbered(40)), room))).toEqual([
    '',
    '✓ Bash npm test (exit 0 · 2s)',
    '  line 1',
    '  line 2',
    '  … +35 lines (ctrl+o)',
    '  line 38',
    '  line 39',
    '  line 40',
  ]);
  const failed = { outcome: 'failed', summary: { kind: 'exit', exitCode: 2 } } as const;
  const lines = shown(itemLines(command(failed, numbered(40)), room));
  expect(lines.slice(1, 6)).toEqual([
    '✗ Bash npm test (exit 2 · 2s)',
    '  line 1',
    '  line 2',
    '  … +30 lines (ctrl+o)',
    '  line 33',
  ]);
  expect(lines).toHaveLength(13);
});

test('no more lines are hidden than the row that counts them saves', () => {
  for (let count = 1; count < 30; count++)
    for (const outcome of ['done', 'failed'] as const) {
      const item = command({ outcome }, numbered(count));
      const lines = shown(itemLines(item, room)).slice(2);
      const hidden = Number(/\+(\d+) lines/.exec(lines.join())?.[1] ?? 0);
      expect(lines.length).toBe(hidden === 0 ? count : count - hidden + 1);
      expect(hidden).not.toBe(1);
    }
  expect(shown(itemLines(command({ folded: false }, numbered(40)), room))).toHaveLength(42);
});

test.each<[Partial<CallItem>, string[]]>([
  [{ title: 'Read src/auth.ts', summary: countOf('line', 11) }, ['✓ Read src/auth.ts (11 lines)']],
  [{ title: 'List src', durationMs: 61_000 }, ['✓ List src (1m 01s)']],
  [{ title: 'WebFetch x' }, ['✓ WebFetch x']],
  [{ outcome: 'failed', because: 'No such file.' }, ['✗ Call', '  No such file.']],
  [
    { outcome: 'refused', because: 'You declined this', durationMs: 9_000 },
    ['○ Call', '  You declined this'],
  ],
  [
    { outcome: 'interrupted', summary: { kind: 'interrupted' }, display: { kind: 'text', text: '1\n2\n' } },
    ['○ Call (interrupted)', '  1', '  2'],
  ],
  [
    { explores: 'pattern', title: 'Glob *.ts', display: { kind: 'files', paths: ['a.ts'], total: 1 } },
    ['✓ Glob *.ts'],
  ],
])('%j', (change, rows) => {
  const call: CallItem = { type: 'call', title: 'Call', outcome: 'done', durationMs: 1, folded: true };
  expect(shown(itemLines({ ...call, ...change }, room))).toEqual(['', ...rows]);
});

test('a row is never wider than the screen; its facts go before its title does', () => {
  const item = command({ title: `Read ${'folder/'.repeat(20)}`, display: { kind: 'text', text: '' } });
  for (let columns = 4; columns < 60; columns++) {
    const [, row = []] = itemLines(item, { ...room, columns });
    expect(widthOfLine(row)).toBeLessThanOrEqual(columns);
    expect(words(row).startsWith('✓ ')).toBe(true);
    expect(words(row).includes('exit 0')).toBe(columns >= 2 + 12 + ' (exit 0 · 2s)'.length);
  }
});

test('of a self-overwriting progress bar, the final state is shown', () => {
  expect(shown(itemLines(command({}, ' 10%\r 55%\r100%\r\ndone\r'), room)).slice(2)).toEqual([
    '  100%',
    '  done',
  ]);
});

const read = (name: string): ExploredCall => ({
  type: 'call',
  title: `Read ${name}`,
  outcome: 'done',
  explores: 'file',
  summary: countOf('line', 3),
  durationMs: 1,
  folded: true,
});

test('an exploration is one row; all of its steps are shown on request', () => {
  const thought = { type: 'thought', text: 'hm', durationMs: 1_000, folded: true } as const;
  const item: Item = { type: 'explored', steps: [read('a.ts'), thought, read('b.ts')], folded: true };

  expect(shown(itemLines(item, room))).toEqual(['', '✓ Explored: read 2 files (ctrl+o)']);
  expect(shown(itemLines({ ...item, folded: false }, room))).toEqual([
    '',
    '✓ Read a.ts (3 lines)',
    '',
    '∴ hm',
    '',
    '✓ Read b.ts (3 lines)',
  ]);
});

test('while it goes on, it is one growing row above the other calls', () => {
  const running: LiveCall = { callId: 'c', title: 'Grep x', explores: 'pattern', startedAt: 0, output: '' };
  const other: LiveCall = { callId: 'd', title: 'Bash ls', startedAt: 0, output: 'one\n' };
  const live = (explored: ExploredCall[], calls: LiveCall[]) =>
    shown(liveLines({ ...idle, calls, explored }, { ...room, columns: 60, rows: 10 }));

  expect(live([], [running])).toEqual(['', '⠿ Grep x']);
  expect(live([read('a.ts')], [])).toEqual(['', '✓ Read a.ts (3 lines)']);
  expect(live([read('a.ts'), read('b.ts')], [running, other])).toEqual([
    '',
    '⠿ Exploring: read 2 files, searched 1 pattern',
    '',
    '⠿ Bash ls',
    '  one',
  ]);
});

test('a prompt fills its rows with a background, if there are enough colors', () => {
  const rows = (depth: 'truecolor' | '16' | 'none') =>
    itemLines({ type: 'prompt', text: 'one\ntwo' }, { ...room, theme: themeOf('dark', depth) }).slice(1);
  for (const row of rows('truecolor')) {
    expect(widthOfLine(row)).toBe(room.columns);
    expect(row.every(({ style }) => style?.background !== undefined)).toBe(true);
  }
  for (const depth of ['16', 'none'] as const) expect(shown(rows(depth))).toEqual(['> one', '  two']);
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
  const live = liveLines({ ...idle, calls }, { ...room, rows: 10 });

  const all = [...items.flatMap((item) => itemLines(item, room)), ...live];
  expect(all.map(words).filter((text) => /\p{Cc}/u.test(text))).toEqual([]);
});

test('running output never takes more rows than available, and shows its end', () => {
  const tail: Line[] = Array.from({ length: 50 }, (_, i) => [{ text: `row ${i}` }]);

  const lines = liveLines({ ...idle, message: { type: 'answer', tail, begun: true } }, { ...room, rows: 8 });

  expect(shown(lines)).toEqual(tail.slice(-8).map(words));
});

test('running thoughts show their last three rows', () => {
  const text = Array.from({ length: 9 }, (_, i) => `thought ${i}`).join('\n');

  const lines = liveLines(
    { ...idle, message: { type: 'thought', text, startedAt: 0 } },
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

test('prompts of other participants cannot be edited', () => {
  const rows = (...others: boolean[]) => {
    const queue = others.map((isOthers) => ({ text: 'Ada: one', images: [], isOthers }));
    return shown(queueLines({ queue, run: null }, { ...room, columns: 80, rows: 3 })).at(-1);
  };
  expect([rows(true), rows(true, false)]).toEqual(['  Queued', '  Queued; ↑ to edit']);
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
