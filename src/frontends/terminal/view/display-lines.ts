import { type Display, linkText } from '../../../contract/display.ts';
import { diffLines } from '../diff/diff-view.ts';
import type { Highlighter } from '../markdown/highlight.ts';
import { fitTo } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import { CHANGE_ROWS, foldedText, foldOf } from './fold.ts';
import { TODO_MARKS } from './todos.ts';
import type { Line, Todo } from './types.ts';

/** The width and theme for lines. Without a highlighter code is not highlighted. */
export type Room = {
  columns: number;
  /** Of the whole screen, where that matters. */
  rows?: number;
  theme: Theme;
  highlighter?: Highlighter;
  /** A path as it is shown. If absent, the path itself. */
  shownPath?: (path: string) => string;
};

/** `titled`: a row above already names the file. */
type ResultRoom = Room & { folded: boolean; failed?: boolean; titled?: boolean };

/** A result for display; a folded one shows its ends, and how much is hidden. */
export function displayLines(display: Display, room: ResultRoom): Line[] {
  switch (display.kind) {
    case 'text':
      return outputLines(display.text, room);
    case 'command':
      return outputLines(display.output, room);
    case 'files':
      return outputLines(display.paths.map((path) => room.shownPath?.(path) ?? path).join('\n'), room);
    case 'links':
      return outputLines(linkText(display.links), room);
    case 'diff':
    case 'diffs':
      return diffLines(display, {
        width: room.columns,
        theme: room.theme,
        ...(room.highlighter && { highlighter: room.highlighter }),
        ...(room.shownPath && { shownPath: room.shownPath }),
        ...(room.titled && { titled: true }),
        ...(room.folded && { rows: CHANGE_ROWS }),
      });
    case 'todos':
      return display.items.flatMap((item) => todoLine(item, room));
    default:
      return display satisfies never;
  }
}

export function outputLines(text: string, { columns, theme, folded, failed = false }: ResultRoom): Line[] {
  const all = sanitize(withoutOverwritten(text)).trimEnd().replace(/^\n+/, '');
  if (all === '') return [];
  const lines = all.split('\n');
  const style = theme.styles.muted;
  const rows = (some: readonly string[]) =>
    some.flatMap((line) => {
      const broken = chop([{ text: line, style }], columns);
      return folded ? broken.slice(0, 2) : broken;
    });
  const fold = folded ? foldOf(lines.length, { failed }) : null;
  if (!fold) return rows(lines);
  const { head, tail } = fold;
  const more = fitTo(foldedText(lines.length - head - tail), columns);
  return [
    ...rows(lines.slice(0, head)),
    [{ text: more, style: theme.styles.border }],
    ...rows(lines.slice(-tail)),
  ];
}

/** A progress bar overwrites itself; only the final text counts. */
function withoutOverwritten(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/^.*\r(?=.)/gm, '')
    .replaceAll('\r', '');
}

function todoLine({ text, status }: Todo, { columns, theme }: Room): Line[] {
  const role = status === 'done' ? 'muted' : status === 'in_progress' ? 'strong' : 'text';
  const words = `${TODO_MARKS[status]} ${sanitize(text).replaceAll(/\s+/g, ' ')}`;
  return chop([{ text: words, style: theme.styles[role] }], columns);
}
