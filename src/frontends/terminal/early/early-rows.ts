import type { Look } from '../theme/look.ts';
import type { EarlyLine } from './early-line.ts';

/** The painted rows, and the cursor position in them. */
export type EarlyFrame = { rows: string[]; caret: { row: number; column: number } };

const SIGN_COLUMNS = 2;
const WAITS = '  Queued; ↑ to edit';
const WARNS = 'Press Ctrl+C again to quit.';

/** Columns for text, between the prompt sign and the caret. */
export function earlyWidth(columns: number): number {
  return columns - SIGN_COLUMNS - 1;
}

/** The same rows that the screen itself will paint. */
export function earlyFrame(line: EarlyLine, look: Look & { columns: number }): EarlyFrame {
  const { columns, sign, muted, border, warning } = look;
  const { text, at, sent, warned } = line;
  const head = warned ? inked(WARNS, warning) : (look.heads[look.mode] ?? '');
  const waiting =
    sent === null ? [] : [inked(fitted(`⧗ ${sent}`, columns), muted), inked(fitted(WAITS, columns), border)];
  const rows = [...waiting, '', head, sign + promptText(line, look)];
  return { rows, caret: { row: rows.length - 1, column: SIGN_COLUMNS + (text === '' ? 0 : at) } };
}

function promptText(
  { text, at }: EarlyLine,
  { placeholder, muted, columns }: Look & { columns: number },
): string {
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
