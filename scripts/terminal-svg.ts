import type { IBufferCell, Terminal } from '@xterm/headless';

const CELL = { width: 8.4, height: 18 };
const EDGE = 16;
const GROUND = '#14161b';
const LETTERS = '#d7dae0';
const SIXTEEN = [
  '#1d2026',
  '#e06c75',
  '#8ccf7e',
  '#e5c07b',
  '#67a8f0',
  '#c678dd',
  '#56b6c2',
  '#c8ccd4',
  '#6b7280',
  '#f07178',
  '#a3e08f',
  '#f0d08a',
  '#82b8ff',
  '#d795ea',
  '#6fd0dc',
  '#ffffff',
];

type Run = { text: string; column: number; columns: number; style: string; ground: string | null };

/** The visible part of a terminal, as an SVG with a title. */
export function toSvg(terminal: Terminal, title: string): string {
  const { cols, buffer } = terminal;
  const rows = Array.from({ length: terminal.rows }, (_, y) => runsOf(terminal, buffer.active.baseY + y));
  const used = rows.findLastIndex((runs) => runs.some(({ text }) => text.trim() !== '')) + 1;
  const width = Math.ceil(cols * CELL.width + 2 * EDGE);
  const height = used * CELL.height + 2 * EDGE;
  const body = rows.slice(0, used).flatMap((runs, y) => runs.flatMap((run) => drawn(run, y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${LETTERS}">`,
    ...body,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawn({ text, column, columns, style, ground }: Run, row: number): string[] {
  const x = (EDGE + column * CELL.width).toFixed(1);
  const y = EDGE + row * CELL.height;
  const width = (columns * CELL.width).toFixed(1);
  const box =
    ground === null
      ? []
      : [`<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${ground}"/>`];
  if (text.trim() === '') return box;
  // The width is that of the cells, independent of the font.
  return [
    ...box,
    `<text x="${x}" y="${y + 13}" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${style}>${escaped(text)}</text>`,
  ];
}

/** Adjacent cells of the same style, merged. */
function runsOf({ buffer, cols }: Terminal, y: number): Run[] {
  const line = buffer.active.getLine(y);
  const runs: Run[] = [];
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const [style, ground] = [styleOf(cell), groundOf(cell)];
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last && last.style === style && last.ground === ground) {
      last.text += text;
      last.columns += cell.getWidth();
    } else runs.push({ text, column, columns: cell.getWidth(), style, ground });
  }
  return runs;
}

function styleOf(cell: IBufferCell): string {
  const color = cell.isInverse() ? (background(cell) ?? GROUND) : foreground(cell);
  return [
    color === null ? '' : ` fill="${color}"`,
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isItalic() ? ' font-style="italic"' : '',
    cell.isUnderline() ? ' text-decoration="underline"' : '',
    cell.isStrikethrough() ? ' text-decoration="line-through"' : '',
    cell.isDim() ? ' opacity="0.6"' : '',
  ].join('');
}

function groundOf(cell: IBufferCell): string | null {
  return cell.isInverse() ? (foreground(cell) ?? LETTERS) : background(cell);
}

function foreground(cell: IBufferCell): string | null {
  if (cell.isFgDefault()) return null;
  return cell.isFgRGB() ? hex(cell.getFgColor()) : indexed(cell.getFgColor());
}

function background(cell: IBufferCell): string | null {
  if (cell.isBgDefault()) return null;
  return cell.isBgRGB() ? hex(cell.getBgColor()) : indexed(cell.getBgColor());
}

function hex(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

/** One of the 256 colors: 16 named ones, a cube, grays. */
function indexed(index: number): string {
  if (index < 16) return SIXTEEN[index] ?? LETTERS;
  if (index >= 232) return hex((8 + 10 * (index - 232)) * 0x010101);
  const steps = [0, 95, 135, 175, 215, 255];
  const at = index - 16;
  const [red = 0, green = 0, blue = 0] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(
    (i) => steps[i],
  );
  return hex((red << 16) | (green << 8) | blue);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
