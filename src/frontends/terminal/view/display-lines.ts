import type { Display } from '../../../contract/display.ts';
import { diffLines } from '../diff/diff-view.ts';
import type { Highlighter } from '../markdown/highlight.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import { FOLD_LINES } from './fold.ts';
import type { Line } from './types.ts';

/** The width and theme for lines. Without a highlighter code is not highlighted. */
export type Room = { columns: number; theme: Theme; highlighter?: Highlighter };

type Todo = Extract<Display, { kind: 'todos' }>['items'][number];

const TODO_MARKS = { pending: '☐', in_progress: '◐', done: '☑' } satisfies Record<Todo['status'], string>;

/** A result for display; a folded one shows its start, and the total length. */
export function displayLines(display: Display, room: Room & { folded: boolean }): Line[] {
  switch (display.kind) {
    case 'text':
      return outputLines(display.text, room);
    case 'command':
      return outputLines(display.output, room);
    case 'files':
      return outputLines(display.paths.join('\n'), room);
    case 'diff':
    case 'diffs':
      return diffLines(display, {
        width: room.columns,
        theme: room.theme,
        ...(room.highlighter && { highlighter: room.highlighter }),
        ...(room.folded && { rows: FOLD_LINES.change, hint: 'Ctrl+O to show all' }),
      });
    case 'todos':
      return display.items.flatMap((item) => todoLine(item, room));
    default:
      return display satisfies never;
  }
}

export function outputLines(text: string, { columns, theme, folded }: Room & { folded: boolean }): Line[] {
  const all = sanitize(withoutOverwritten(text)).trimEnd();
  if (all === '') return [];
  const lines = all.split('\n');
  const shown = folded ? lines.slice(0, FOLD_LINES.output) : lines;
  const style = theme.styles.muted;
  const rows = shown.flatMap((line) => {
    const broken = chop([{ text: line, style }], columns);
    return folded ? broken.slice(0, 2) : broken;
  });
  return [...rows, ...moreLine(lines.length - shown.length, theme)];
}

/** A progress bar overwrites itself; only the final text counts. */
function withoutOverwritten(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/^.*\r(?=.)/gm, '')
    .replaceAll('\r', '');
}

function moreLine(more: number, theme: Theme): Line[] {
  if (more <= 0) return [];
  const text = `… ${more} more ${more === 1 ? 'line' : 'lines'} (Ctrl+O to show all)`;
  return [[{ text, style: theme.styles.border }]];
}

function todoLine({ text, status }: Todo, { columns, theme }: Room): Line[] {
  const role = status === 'done' ? 'muted' : status === 'in_progress' ? 'strong' : 'text';
  const words = `${TODO_MARKS[status]} ${sanitize(text).replaceAll(/\s+/g, ' ')}`;
  return chop([{ text: words, style: theme.styles[role] }], columns);
}
