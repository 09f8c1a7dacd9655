import type { Line, Span, Style } from '../view/types.ts';
import { takeColumns, widthOf } from './measure.ts';
import { sanitize } from './sanitize.ts';

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const ESC = '\u001b';
const BELL = '\u0007';
const COLOR = `${ESC}\\[([\\d;:]*)m`;
const CONTROL = `${ESC}\\[[0-?]*[ -/]*[@-~]`;
const STRING = `${ESC}[\\]PX^_][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)?`;
const OTHER = `${ESC}[ -/]*[0-~]?`;
const PARTS = new RegExp(`${COLOR}|${CONTROL}|${STRING}|${OTHER}|[^${ESC}]+`, 'g');

/** Output of a program as one row: its colors are kept, everything else that controls a terminal is removed. */
export function ansiLine(text: string, { columns, colors }: { columns: number; colors: boolean }): Line {
  const line: Span[] = [];
  let style: Style = {};
  let room = columns;
  for (const [part, codes] of text.matchAll(PARTS)) {
    if (codes !== undefined) style = withCodes(style, codes);
    if (part.startsWith(ESC)) continue;
    const row = sanitize(part).replaceAll('\n', ' ');
    const width = widthOf(row);
    const kept = width <= room ? row : room > 1 ? `${takeColumns(row, room - 1)}…` : '…'.repeat(room);
    if (kept !== '')
      line.push(colors && Object.keys(style).length > 0 ? { text: kept, style } : { text: kept });
    if (width > room) break;
    room -= width;
  }
  return line;
}

function withCodes(before: Style, written: string): Style {
  const codes = written.split(/[;:]/).map(Number);
  let style = { ...before };
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(i + 1));
      i += used;
      if (color !== null) style = { ...style, [code === 38 ? 'color' : 'background']: color };
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: Style, code: number): Style {
  const { color: _color, ...uncolored } = style;
  const { background: _background, ...bare } = style;
  switch (code) {
    case 0:
      return {};
    case 1:
      return { ...style, bold: true };
    case 2:
      return { ...style, dim: true };
    case 3:
      return { ...style, italic: true };
    case 4:
      return { ...style, underline: true };
    case 7:
      return { ...style, inverse: true };
    case 9:
      return { ...style, strikethrough: true };
    case 22:
      return { ...style, bold: false, dim: false };
    case 23:
      return { ...style, italic: false };
    case 24:
      return { ...style, underline: false };
    case 27:
      return { ...style, inverse: false };
    case 29:
      return { ...style, strikethrough: false };
    case 39:
      return uncolored;
    case 49:
      return bare;
  }
  const color = namedColor(code);
  return color === null ? style : { ...style, [color.of]: color.name };
}

function namedColor(code: number): { of: 'color' | 'background'; name: string } | null {
  const tens = Math.floor(code / 10);
  const name = NAMES[code % 10];
  if (name === undefined || ![3, 4, 9, 10].includes(tens)) return null;
  return { of: tens === 3 || tens === 9 ? 'color' : 'background', name: tens > 4 ? `${name}Bright` : name };
}

/** After 38 or 48: the color, and how many numbers it takes. */
function extendedColor([kind, ...values]: number[]): [color: string | null, used: number] {
  const isByte = (value: number | undefined) => value !== undefined && value >= 0 && value <= 255;
  const [a, b, c] = values;
  if (kind === 5) return [isByte(a) ? `ansi256(${a})` : null, 2];
  if (kind !== 2) return [null, 1];
  if (![a, b, c].every(isByte)) return [null, 4];
  const hex = [a, b, c].map((value = 0) => value.toString(16).padStart(2, '0')).join('');
  return [`#${hex}`, 4];
}
