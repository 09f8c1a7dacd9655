import { expect, test } from 'vitest';
import { textOfLine } from './dialogs/look.ts';
import { type FrameParts, frameLines } from './frame.ts';
import { noHighlighter } from './markdown/highlight.ts';
import { widthOfLine } from './text/wrap.ts';
import { themeOf } from './theme/theme.ts';
import type { DialogRoom } from './view/dialog.ts';
import { emptyView } from './view/store.ts';
import type { Subagent } from './view/subagents.ts';
import type { Line, LiveRun, Status } from './view/types.ts';

const status: Status = {
  model: 'sonnet',
  mode: 'default',
  sandboxed: true,
  context: null,
  costUsd: null,
  cacheHit: null,
  branch: null,
  shells: 0,
  elapsedMs: null,
};
const run: LiveRun = { startedAt: 0, doing: 'thinking', outputTokens: 0, countedTokens: 0, retry: null };
const theme = themeOf('dark', 'none');
const surroundings = { columns: 60, rows: 30, theme, highlighter: noHighlighter };
const idle: FrameParts = {
  view: emptyView(status),
  surroundings,
  statusBar: ['mode', 'model'],
  modeKey: 'shift+tab',
  now: 5_000,
  isAsked: false,
  dialog: null,
  prompt: () => [[{ text: '> ' }]],
};

const shown = (parts: Partial<FrameParts>) => frameLines({ ...idle, ...parts }).map(textOfLine);
const statusRow = `asks before changes (shift+tab)${' '.repeat(23)}sonnet`;
const rowsOf = (count: number): Line[] => Array.from({ length: count }, (_, i) => [{ text: `row ${i}` }]);

test('a question that waits for the prompt is mentioned in place of the status', () => {
  const waiting = 'A question is waiting: finish your prompt, or press esc to see it.';
  expect(shown({ isAsked: true, surroundings: { ...surroundings, columns: 80 } })).toEqual([
    '',
    waiting,
    '> ',
  ]);
});

test('when idle, the status is above the prompt', () => {
  expect(shown({})).toEqual(['', statusRow, '> ']);
});

test('a hint replaces the status, cut to the width', () => {
  const view = { ...idle.view, hint: 'Press Ctrl+C again to quit.' };

  expect(shown({ view })).toEqual(['', 'Press Ctrl+C again to quit.', '> ']);
  expect(shown({ view, surroundings: { ...surroundings, columns: 8 } })[1]).toBe('Press C…');
});

test('during a run: the message, the spinner, the queue, the prompt', () => {
  const view = {
    ...idle.view,
    run,
    message: { type: 'answer' as const, tail: rowsOf(2), begun: true },
    queue: [{ text: 'next', images: [] }],
  };

  expect(shown({ view })).toEqual([
    'row 0',
    'row 1',
    '',
    '⠙ Thinking · 5s · esc to interrupt',
    '↳ next',
    '  Will be sent with the next step; ↑ to edit',
    '',
    statusRow,
    '> ',
  ]);
});

test('the spinner moves with time', () => {
  const marks = [0, 120, 240, 1200].map((now) => shown({ view: { ...idle.view, run }, now })[1]?.[0]);

  expect(marks).toEqual(['⠋', '⠙', '⠹', '⠋']);
});

test('a dialog replaces status, spinner and prompt, and gets the remaining rows', () => {
  const rooms: DialogRoom[] = [];
  const view = { ...idle.view, run, message: { type: 'answer' as const, tail: rowsOf(50), begun: true } };
  const dialog = (room: DialogRoom): Line[] => {
    rooms.push(room);
    return [[{ text: 'Allow?' }]];
  };

  const lines = shown({ view, dialog });

  expect(lines).toEqual([...rowsOf(50).slice(-11).map(textOfLine), '', 'Allow?']);
  expect(rooms).toMatchObject([{ columns: 60, rows: 17, theme }]);
});

const failed = {
  type: 'retry' as const,
  kind: 'server_error' as const,
  message: 'Broken.',
  attempt: 1,
  delayMs: 4_000,
};
const subagent = (path: string[]): Subagent => ({
  path,
  name: 'general: a task with a long name that does not fit everywhere',
  startedAt: 0,
  calls: 3,
  tokens: 12_000,
  doing: 'Running npm test',
});

test('a retry is counted down', () => {
  const view = { ...idle.view, run: { ...run, retry: { event: failed, until: 4_000 } } };
  const at = (now: number) => shown({ view, now })[0];
  expect(at(0)).toBe('Server error, retrying in 4s (1 of 3). Broken.');
  expect(at(1_500)).toBe('Server error, retrying in 3s (1 of 3). Broken.');
  expect(at(3_900)).toBe('Server error, retrying in 1s (1 of 3). Broken.');
  expect(at(4_100)).toBe('Server error, retrying now (1 of 3). Broken.');
});

test('the task list is under the spinner while a run goes', () => {
  const items = [
    { text: 'Read the code', status: 'done' as const },
    { text: 'Write\n tests', status: 'in_progress' as const },
    { text: 'Run them', status: 'pending' as const },
  ];
  const view = { ...idle.view, todos: { session: 's', items } };
  expect(shown({ view })).toEqual(['', statusRow, '> ']);
  expect(shown({ view: { ...view, run } }).slice(0, 5)).toEqual([
    '',
    '⠙ Thinking · 5s · esc to interrupt',
    '  ✓ Read the code',
    '  ◐ Write tests',
    '  ☐ Run them',
  ]);
});

test('for any screen size and amount of output, the frame fits', () => {
  const view = {
    ...idle.view,
    run: { ...run, retry: { event: failed, until: 9_000 } },
    todos: {
      session: '',
      items: Array.from({ length: 12 }, (_, i) => ({ text: `task ${i}`, status: 'pending' as const })),
    },
    subagents: Array.from({ length: 9 }, (_, i) => subagent([`call ${i}`])),
    message: { type: 'answer' as const, tail: rowsOf(50), begun: true },
    queue: Array.from({ length: 9 }, () => ({ text: 'a prompt that waits for its turn', images: [] })),
  };
  for (let rows = 14; rows < 60; rows++)
    for (const columns of [30, 60, 200]) {
      const prompt = (room: DialogRoom) => rowsOf(Math.min(3, room.rows));
      const lines = frameLines({ ...idle, view, prompt, surroundings: { ...surroundings, rows, columns } });
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines.map(widthOfLine))).toBeLessThanOrEqual(columns);
    }
});
