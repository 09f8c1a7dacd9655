import { explorationText, summaryText } from '../../../commands/format/summary.ts';
import { elapsed } from '../../../lib/text/elapsed.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import { chop } from '../text/wrap.ts';
import { displayLines, outputLines, type Room } from '../view/display-lines.ts';
import { isExplored, isExploring } from '../view/explored.ts';
import type { Item, Line, LiveCall, View } from '../view/types.ts';

type CallItem = Extract<Item, { type: 'call' }>;

const INDENT = '  ';
/** Rows of a running call's output: enough to see that it is active. */
const LIVE_ROWS = 3;
/** Columns a title keeps before its facts are dropped. */
const FEWEST_TITLE = 12;

/** Each outcome has a shape of its own: a color alone would not tell them apart. */
export const CALL_MARKS = {
  running: { mark: '⠿', role: 'accent' },
  done: { mark: '✓', role: 'success' },
  failed: { mark: '✗', role: 'error' },
  interrupted: { mark: '○', role: 'warning' },
  refused: { mark: '○', role: 'warning' },
} as const;

/** A finished call: title, outcome and result. */
export function callLines(call: CallItem, room: Room): Line[] {
  const { title, outcome, durationMs, summary } = call;
  const facts = [
    summary ? summaryText(summary) : '',
    durationMs >= 1000 && outcome !== 'refused' ? elapsed(durationMs) : '',
  ];
  return [
    callRow({ title, outcome, facts: facts.filter(Boolean) }, room),
    ...indent(resultLines(call, room)),
  ];
}

type CallRow = { title: string; outcome: keyof typeof CALL_MARKS; facts?: readonly string[] };

/** `✓ Read src/auth.ts (11 lines)` */
function callRow({ title, outcome, facts = [] }: CallRow, { columns, theme }: Room): Line {
  const { styles } = theme;
  const { mark, role } = CALL_MARKS[outcome];
  const words = facts.length === 0 ? '' : ` (${facts.join(' · ')})`;
  const fits = columns - 2 - widthOf(words) >= FEWEST_TITLE;
  const shown = fitTo(title, columns - 2 - (fits ? widthOf(words) : 0));
  const name = /^\S*/.exec(shown)?.[0] ?? '';
  return [
    { text: `${mark} `, style: styles[role] },
    { text: name, style: styles.strong },
    { text: shown.slice(name.length), style: styles.text },
    ...(fits ? [{ text: words, style: styles.muted }] : []),
  ];
}

function resultLines({ outcome, because, display, folded, explores }: CallItem, room: Room): Line[] {
  const inner = { ...room, columns: room.columns - INDENT.length };
  if (outcome === 'refused')
    return chop([{ text: sanitize(because ?? ''), style: room.theme.styles.warning }], inner.columns);
  // The summary says enough of what was only looked at.
  if (outcome === 'done' && explores && folded) return [];
  const failed = outcome === 'failed';
  if (display) return displayLines(display, { ...inner, folded, failed, titled: true });
  return because === undefined ? [] : outputLines(because, { ...inner, folded, failed });
}

/** `✓ Explored: read 4 files, searched 2 patterns (ctrl+o)` */
export function exploredRow(steps: readonly Item[], room: Room): Line {
  const title = `Explored: ${explorationText(steps.filter(isExplored))}`;
  return callRow({ title, outcome: 'done', facts: ['ctrl+o'] }, room);
}

/** The read-only calls since the last finished item, and those that are running, as one row. */
export function liveExploredLines({ explored, calls }: Pick<View, 'explored' | 'calls'>, room: Room): Line[] {
  const done = explored.filter(isExplored);
  const running = calls.filter(isExploring);
  const [only, ...others] = [...done, ...running];
  if (!only) return [];
  if (others.length > 0)
    return [callRow({ title: `Exploring: ${explorationText([only, ...others])}`, outcome: 'running' }, room)];
  return 'type' in only ? callLines(only, room) : liveCallLines(only, room);
}

/** A running call, with the end of its output so far. */
export function liveCallLines({ title, output, ended }: LiveCall, room: Room): Line[] {
  const { columns, theme } = room;
  const head = callRow({ title, outcome: 'running' }, room);
  if (ended || output.trim() === '') return [head];
  const last = output.trimEnd().split('\n').slice(-LIVE_ROWS);
  const style = theme.styles.muted;
  return [head, ...indent(last.map((line) => [{ text: fitTo(line, columns - INDENT.length), style }]))];
}

function indent(lines: readonly Line[]): Line[] {
  return lines.map((line) => [{ text: INDENT }, ...line]);
}
