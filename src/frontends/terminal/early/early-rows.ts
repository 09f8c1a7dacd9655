import { NARROW } from '../text/narrow.ts';
import type { Look } from '../theme/look.ts';
import type { EarlyLine } from './early-line.ts';
import { isSpacious, ruleOf, type StartFacts, startRows } from './start-rows.ts';

/** The painted rows, and the cursor position in them. */
export type EarlyFrame = { rows: string[]; caret: { row: number; column: number } };

const SIGN_COLUMNS = 2;
const WAITS = '  Queued; ↑ to edit';
const WARNS = 'Press Ctrl+C again to quit.';

/** Columns for text, between the prompt sign and the caret. */
export function earlyWidth(columns: number): number {
  return columns - SIGN_COLUMNS - 1;
}

export type EarlyPlace = { columns: number; lines: number; start: StartFacts };

/** The same rows that the screen itself will paint. */
export function earlyFrame(line: EarlyLine, look: Look, place: EarlyPlace): EarlyFrame {
  const { columns, lines, start } = place;
  const { sign, muted, border, warning } = look;
  const { text, at, sent, warned } = line;
  const head = warned ? inked(WARNS, warning) : (look.heads[look.mode] ?? '');
  const waiting =
    sent === null ? [] : [inked(fitted(`⧗ ${sent}`, columns), muted), inked(fitted(WAITS, columns), border)];
  const spacious = isSpacious({ columns, rows: lines });
  const header = spacious ? startRows(start).map((row) => headerRow(row, look, columns)) : [];
  const rule = spacious ? [inked(ruleOf(columns), border)] : [];
  const before = [...header, ...waiting, '', head, ...rule];
  const rows = [...before, sign + promptText(line, look, columns)];
  return { rows, caret: { row: before.length, column: SIGN_COLUMNS + (text === '' ? 0 : at) } };
}

/** What cannot be measured here is left to the screen. */
function headerRow(text: string, { muted }: Look, columns: number): string {
  return text === '' || !NARROW.test(text) ? '' : inked(fitted(text, columns), muted);
}

function promptText({ text, at }: EarlyLine, { placeholder, muted }: Look, columns: number): string {
  // After the last character there is a space under the caret.
  if (text !== '') return at === text.length ? `${text} ` : text;
  const words = fitted(placeholder, earlyWidth(columns));
  return inked(words.slice(0, 1), muted) + inked(words.slice(1), muted);
}

function inked(text: string, [on, off]: Look['muted']): string {
  return `${on}${text}${off}`;
}

function fitted(text: string, columns: number): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
}
