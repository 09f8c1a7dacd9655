import { elapsed } from '../../../lib/text/elapsed.ts';
import { fitTo } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop } from '../text/wrap.ts';
import { displayLines, outputLines, type Room } from '../view/display-lines.ts';
import type { Item, Line, LiveCall } from '../view/types.ts';

const INDENT = '  ';
/** Rows of a running call's output: enough to see that it is active. */
const LIVE_ROWS = 3;

const MARKS = {
  done: { mark: '●', role: 'success' },
  failed: { mark: '●', role: 'error' },
  refused: { mark: '○', role: 'warning' },
} as const;

/** A finished call: title, outcome and result. */
export function callLines(call: Extract<Item, { type: 'call' }>, room: Room): Line[] {
  const { columns, theme } = room;
  const { title, outcome, because, durationMs, display, folded } = call;
  const { mark, role } = MARKS[outcome];
  const time = durationMs >= 1000 ? `  ${elapsed(durationMs)}` : '';
  const head: Line = [
    { text: `${mark} `, style: theme.styles[role] },
    { text: fitTo(title, columns - 2 - time.length), style: theme.styles.strong },
    { text: time, style: theme.styles.muted },
  ];
  const inner = { ...room, columns: columns - INDENT.length };
  const why =
    because === undefined
      ? []
      : outcome === 'refused'
        ? chop([{ text: sanitize(because), style: theme.styles.warning }], inner.columns)
        : display
          ? []
          : outputLines(because, { ...inner, folded: true });
  const shown = display ? displayLines(display, { ...inner, folded }) : [];
  return [head, ...indent([...why, ...shown])];
}

/** A running call, with the end of its output so far. */
export function liveCallLines({ title, output, ended }: LiveCall, { columns, theme }: Room): Line[] {
  const head: Line = [
    { text: '○ ', style: theme.styles.accent },
    { text: fitTo(title, columns - 2), style: theme.styles.strong },
  ];
  if (ended || output.trim() === '') return [head];
  const last = output.trimEnd().split('\n').slice(-LIVE_ROWS);
  const style = theme.styles.muted;
  return [head, ...indent(last.map((line) => [{ text: fitTo(line, columns - INDENT.length), style }]))];
}

function indent(lines: readonly Line[]): Line[] {
  return lines.map((line) => [{ text: INDENT }, ...line]);
}
