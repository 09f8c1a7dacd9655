import type { IBufferCell, Terminal } from '@xterm/headless';

const CELL = { width: 8.4, height: 18 };
const EDGE = 16;

export type Ground = 'dark' | 'light';
type Palette = { ground: string; letters: string; frame: string; sixteen: readonly string[] };

/** Frames are visible on pages of either color. */
const palettes: Record<Ground, Palette> = {
  dark: {
    ground: '#14161b',
    letters: '#d7dae0',
    frame: '#3a3f4a',
    sixteen: [
      ...['#1d2026', '#e06c75', '#8ccf7e', '#e5c07b', '#67a8f0', '#c678dd', '#56b6c2', '#c8ccd4'],
      ...['#6b7280', '#f07178', '#a3e08f', '#f0d08a', '#82b8ff', '#d795ea', '#6fd0dc', '#ffffff'],
    ],
  },
  light: {
    ground: '#ffffff',
    letters: '#24292f',
    frame: '#c9ced6',
    sixteen: [
      ...['#24292f', '#cf222e', '#116329', '#9a6700', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
      ...['#57606a', '#a40e26', '#1a7f37', '#bf8700', '#218bff', '#a475f9', '#3192aa', '#ffffff'],
    ],
  },
};

type Run = { text: string; column: number; columns: number; style: string; ground: string | null };

/** The visible rows of a terminal at one moment, each drawn as if it were the first. */
export type Screen = { columns: number; rows: string[]; ground: Ground };

export function screenOf(terminal: Terminal, ground: Ground = 'dark'): Screen {
  const rows = Array.from({ length: terminal.rows }, (_, y) => rowOf(terminal, y, palettes[ground]));
  const last = rows.findLastIndex((row) => row !== '');
  return { columns: terminal.cols, rows: rows.slice(0, last + 1), ground };
}

/** The visible part of a terminal, as an SVG with a title. */
export function toSvg(screen: Screen, title: string): string {
  const body = screen.rows.flatMap((row, y) =>
    row === '' ? [] : [`<g transform="translate(0 ${y * CELL.height})">${row}</g>`],
  );
  return drawing({ ...sizeOf(screen), title, body, palette: palettes[screen.ground] });
}

/** A screen, and how long it is shown. */
export type Frame = { screen: Screen; ms: number };

/**
 * Screens one after the other, in a loop: side by side on a strip that moves by one screen at a time. There is no
 * script in it, so that it also plays as an image. Without animation the last screen is shown.
 */
export function toAnimatedSvg(frames: readonly Frame[], title: string): string {
  const sizes = frames.map(({ screen }) => sizeOf(screen));
  const width = Math.max(...sizes.map((size) => size.width));
  const height = Math.max(...sizes.map((size) => size.height));
  const names = new Map<string, string>();
  const nameOf = (row: string) => names.get(row) ?? names.set(row, `r${names.size}`).get(row);
  const strip = frames.map(({ screen }, i) => {
    const uses = screen.rows.flatMap((row, y) =>
      row === '' ? [] : [`<use href="#${nameOf(row)}" y="${y * CELL.height}"/>`],
    );
    return `<g transform="translate(${i * width} 0)">${uses.join('')}</g>`;
  });
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let passed = 0;
  const steps = frames.map(({ ms }, i) => {
    const at = `${((100 * passed) / total).toFixed(2)}%{transform:translateX(-${i * width}px)}`;
    passed += ms;
    return at;
  });
  const end = `transform:translateX(-${(frames.length - 1) * width}px)`;
  const body = [
    `<style>@keyframes play{${steps.join('')}100%{${end}}}.strip{animation:play ${total}ms step-end infinite}`,
    `@media(prefers-reduced-motion:reduce){.strip{animation:none;${end}}}</style>`,
    `<defs>${[...names].map(([row, name]) => `<g id="${name}">${row}</g>`).join('\n')}</defs>`,
    `<g class="strip">${strip.join('\n')}</g>`,
  ];
  return drawing({ width, height, title, body, palette: palettes[frames[0]?.screen.ground ?? 'dark'] });
}

function sizeOf({ columns, rows }: Screen): { width: number; height: number } {
  return {
    width: Math.ceil(columns * CELL.width + 2 * EDGE),
    height: rows.length * CELL.height + 2 * EDGE,
  };
}

type Drawing = { width: number; height: number; title: string; body: readonly string[]; palette: Palette };

function drawing({ width, height, title, body, palette }: Drawing): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${palette.ground}" stroke="${palette.frame}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="${palette.letters}">`,
    ...body,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(terminal: Terminal, y: number, palette: Palette): string {
  return runsOf(terminal, { y: terminal.buffer.active.baseY + y, palette })
    .flatMap(drawn)
    .join('');
}

function drawn({ text, column, columns, style, ground }: Run): string[] {
  const x = (EDGE + column * CELL.width).toFixed(1);
  const width = (columns * CELL.width).toFixed(1);
  const box =
    ground === null
      ? []
      : [`<rect x="${x}" y="${EDGE}" width="${width}" height="${CELL.height}" fill="${ground}"/>`];
  if (text.trim() === '') return box;
  // The width is that of the cells, independent of the font.
  return [
    ...box,
    `<text x="${x}" y="${EDGE + 13}" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${style}>${escaped(text)}</text>`,
  ];
}

/** Adjacent cells of the same style, merged. */
function runsOf({ buffer, cols }: Terminal, { y, palette }: { y: number; palette: Palette }): Run[] {
  const line = buffer.active.getLine(y);
  const runs: Run[] = [];
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const [style, ground] = [styleOf(cell, palette), groundOf(cell, palette)];
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last && last.style === style && last.ground === ground) {
      last.text += text;
      last.columns += cell.getWidth();
    } else runs.push({ text, column, columns: cell.getWidth(), style, ground });
  }
  return runs;
}

function styleOf(cell: IBufferCell, palette: Palette): string {
  const color = cell.isInverse() ? (background(cell, palette) ?? palette.ground) : foreground(cell, palette);
  return [
    color === null ? '' : ` fill="${color}"`,
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isItalic() ? ' font-style="italic"' : '',
    cell.isUnderline() ? ' text-decoration="underline"' : '',
    cell.isStrikethrough() ? ' text-decoration="line-through"' : '',
    cell.isDim() ? ' opacity="0.6"' : '',
  ].join('');
}

function groundOf(cell: IBufferCell, palette: Palette): string | null {
  return cell.isInverse() ? (foreground(cell, palette) ?? palette.letters) : background(cell, palette);
}

function foreground(cell: IBufferCell, palette: Palette): string | null {
  if (cell.isFgDefault()) return null;
  return cell.isFgRGB() ? hex(cell.getFgColor()) : indexed(cell.getFgColor(), palette);
}

function background(cell: IBufferCell, palette: Palette): string | null {
  if (cell.isBgDefault()) return null;
  return cell.isBgRGB() ? hex(cell.getBgColor()) : indexed(cell.getBgColor(), palette);
}

function hex(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

/** One of the 256 colors: 16 named ones, a cube, grays. */
function indexed(index: number, palette: Palette): string {
  if (index < 16) return palette.sixteen[index] ?? palette.letters;
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
