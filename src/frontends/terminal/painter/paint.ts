import { caretAt } from '../view/caret.ts';
import type { Line, Span, Style } from '../view/types.ts';

const ESC = '\u001b';
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** A line as terminal output. Styles end with their span, so that nothing leaks into the next. */
export function paint(line: Line): string {
  return line.map(paintSpan).join('');
}

function paintSpan({ text: plain, style, caret }: Span): string {
  const text = caret ? caretAt(plain) : plain;
  if (!style || text === '') return text;
  const { on, off } = codesOf(style);
  const painted = on === '' ? text : `${on}${text}${off}`;
  return style.href === undefined ? painted : `${ESC}]8;;${style.href}\u0007${painted}${ESC}]8;;\u0007`;
}

const known = new WeakMap<Style, { on: string; off: string }>();

function codesOf(style: Style): { on: string; off: string } {
  const kept = known.get(style);
  if (kept) return kept;
  const pairs: [on: string, off: string][] = [];
  if (style.bold) pairs.push(['1', '22']);
  if (style.dim) pairs.push(['2', '22']);
  if (style.italic) pairs.push(['3', '23']);
  if (style.underline) pairs.push(['4', '24']);
  if (style.inverse) pairs.push(['7', '27']);
  if (style.strikethrough) pairs.push(['9', '29']);
  if (style.color !== undefined) pairs.push([colorCode(style.color, 38), '39']);
  if (style.background !== undefined) pairs.push([colorCode(style.background, 48), '49']);
  const codes = {
    on: pairs.map(([on]) => `${ESC}[${on}m`).join(''),
    off: pairs
      .map(([, off]) => `${ESC}[${off}m`)
      .reverse()
      .join(''),
  };
  known.set(style, codes);
  return codes;
}

/** `base` is 38 for the foreground, 48 for the background. */
function colorCode(color: string, base: 38 | 48): string {
  if (color.startsWith('#')) {
    const value = Number.parseInt(color.slice(1), 16);
    return `${base};2;${value >> 16};${(value >> 8) & 255};${value & 255}`;
  }
  const index = /^ansi256\((\d{1,3})\)$/.exec(color)?.[1];
  if (index !== undefined) return `${base};5;${index}`;
  if (color === 'gray') return String(base - 8 + 60);
  const bright = color.endsWith('Bright');
  const at = NAMES.indexOf(bright ? color.slice(0, -'Bright'.length) : color);
  return at === -1 ? String(base + 1) : String(base - 8 + at + (bright ? 60 : 0));
}
