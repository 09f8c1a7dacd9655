import { liveLines, queueLines } from './components/live-zone.ts';
import { spinnerLines } from './components/spinner.ts';
import { startLines } from './components/start-header.ts';
import { type StatusLook, statusLine } from './components/status-bar.ts';
import { pinnedTodos } from './components/todos.ts';
import { voiceLine } from './components/voice-line.ts';
import { isSpacious } from './early/start-rows.ts';
import type { Now } from './surroundings.ts';
import { ansiLine } from './text/ansi-line.ts';
import { fitTo } from './text/measure.ts';
import type { DialogRoom } from './view/dialog.ts';
import type { Line, StatusPart, View } from './view/types.ts';

/** The share of screen rows that may change: 22 of 30. */
const LIVE_SHARE = 22 / 30;
const QUEUE_ROWS = 4;
const TODO_ROWS = 6;

const WAITING = 'A question is waiting: finish your prompt, or press esc to see it.';

export type FrameParts = {
  view: View;
  surroundings: Now;
  statusBar: readonly StatusPart[];
  /** The key that switches the mode; empty if there is none. */
  modeKey: string;
  /** The time in milliseconds. */
  now: number;
  /** A question waits for the prompt to be finished. */
  isAsked: boolean;
  /** Null when none is visible: the prompt is shown then. */
  dialog: ((room: DialogRoom) => Line[]) | null;
  prompt(room: DialogRoom): Line[];
};

/** All rows that may still change: running output, and below it the open dialog or the prompt. */
export function frameLines(parts: FrameParts): Line[] {
  const { view, surroundings, statusBar, modeKey, now, isAsked, dialog, prompt } = parts;
  const { columns, rows, theme } = surroundings;
  const room = { columns, theme, highlighter: surroundings.highlighter, now };
  const live = Math.max(4, Math.floor(rows * LIVE_SHARE));
  if (dialog) {
    const under = liveLines(view, { ...room, rows: Math.ceil(live / 2) });
    return [...under, [], ...dialog({ ...room, rows: Math.max(3, rows - 2 - under.length) })];
  }
  const promptRows = Math.max(1, Math.floor(rows / 3));
  const spinner = view.run ? spinnerLines(view.run, { columns, theme, now }) : [];
  const waiting = queueLines(view, { ...room, rows: QUEUE_ROWS });
  const start = view.start ? startLines(view.start, { ...room, rows }) : [];
  const frame = isSpacious(surroundings) ? 1 : 0;
  const custom = (view.status.custom ?? []).map((row) =>
    ansiLine(row, { columns, colors: theme.depth !== 'none' }),
  );
  const left = live - Math.min(promptRows, 3) - frame - spinner.length - waiting.length - custom.length - 2;
  const todoRows = Math.min(TODO_ROWS, Math.floor(left / 2));
  const todos = view.run ? pinnedTodos(view.todos.items, { ...room, rows: todoRows }) : [];
  const under = liveLines(view, { ...room, rows: Math.max(1, left - todos.length) });
  // The status is not below the prompt: terminals that reflow rows lose count of those below the cursor.
  const asked = isAsked ? WAITING : null;
  const head = headLine({ ...view, hint: view.hint ?? asked }, { parts: statusBar, columns, theme, modeKey });
  return [
    ...start,
    ...under,
    ...spinner,
    ...todos,
    ...waiting,
    [],
    ...custom,
    head,
    ...prompt({ columns, rows: promptRows, theme }),
  ];
}

function headLine({ hint, status, voice }: View, look: StatusLook): Line {
  if (voice) return voiceLine(voice, look);
  if (hint === null) return statusLine(status, look);
  return [{ text: fitTo(hint, look.columns), style: look.theme.styles.warning }];
}
