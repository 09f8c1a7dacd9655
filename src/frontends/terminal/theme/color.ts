import type { Palette } from './themes.ts';

/** The color depth of a terminal. `none` also applies if the user wants no colors. */
export type ColorDepth = 'truecolor' | '256' | '16' | 'none';

type PaletteColor = Exclude<keyof Palette, 'ground'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** From the terminal's environment. NO_COLOR applies when it is not empty, FORCE_COLOR before TERM. */
export function colorDepthOf(env: Environment): ColorDepth {
  if (env.NO_COLOR) return 'none';
  const forced = env.FORCE_COLOR;
  if (forced === '0' || forced === 'false') return 'none';
  if (forced === '3') return 'truecolor';
  if (forced === '2') return '256';
  const term = env.TERM ?? '';
  if (term === 'dumb') return 'none';
  if (/^(truecolor|24bit)$/i.test(env.COLORTERM ?? '') || env.WT_SESSION) return 'truecolor';
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|mintty)$/.test(env.TERM_PROGRAM ?? ''))
    return 'truecolor';
  if (/(-direct|kitty|alacritty|ghostty|wezterm|^foot)/.test(term)) return 'truecolor';
  if (/256|^(xterm|screen|tmux|rxvt)/.test(term)) return /^(xterm|rxvt)$/.test(term) ? '16' : '256';
  return '16';
}

/**
 * Only terminals known to support OSC 8: others may print it. A multiplexer hides the terminal it runs in.
 */
export function knowsHyperlinks(env: Environment): boolean {
  if (env.TMUX || env.STY || /^(screen|tmux|dumb)/.test(env.TERM ?? '')) return false;
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio)$/.test(env.TERM_PROGRAM ?? '')) return true;
  if (env.WT_SESSION || env.KONSOLE_VERSION) return true;
  if (Number(env.VTE_VERSION ?? 0) >= 5000) return true;
  return /(kitty|alacritty|ghostty|wezterm|^foot)/.test(env.TERM ?? '');
}

/** One palette color in the terminal's color depth: `#rrggbb`, `ansi256(n)` or a name. */
export function colorFor(name: PaletteColor, palette: Palette, depth: Exclude<ColorDepth, 'none'>): string {
  if (depth === 'truecolor') return palette[name];
  if (depth === '16') return (palette.ground === 'dark' ? onBlack : onWhite)[name];
  const tint =
    name === 'addedGround' || name === 'removedGround' || name === 'addedMark' || name === 'removedMark';
  return `ansi256(${tint ? nearestTint(palette[name]) : nearest(palette[name], ALL)})`;
}

type Rgb = [red: number, green: number, blue: number];

const STEPS = [0, 95, 135, 175, 215, 255];
const CUBE: [index: number, rgb: Rgb][] = Array.from({ length: 216 }, (_, i) => [
  16 + i,
  [STEPS[Math.floor(i / 36)] ?? 0, STEPS[Math.floor(i / 6) % 6] ?? 0, STEPS[i % 6] ?? 0],
]);
const GREYS: [index: number, rgb: Rgb][] = Array.from({ length: 24 }, (_, i) => [
  232 + i,
  [8 + 10 * i, 8 + 10 * i, 8 + 10 * i],
]);
const ALL = [...CUBE, ...GREYS];

/** A tint must not become gray: that would hide its meaning. */
function nearestTint(hex: string): number {
  const [red, green, blue] = rgbOf(hex);
  const colorful = CUBE.filter(([, rgb]) => Math.max(...rgb) !== Math.min(...rgb));
  const main = [red, green, blue].indexOf(Math.max(red, green, blue));
  return nearest(
    hex,
    colorful.filter(([, rgb]) => rgb.indexOf(Math.max(...rgb)) === main),
  );
}

function nearest(hex: string, among: readonly [index: number, rgb: Rgb][]): number {
  const wanted = rgbOf(hex);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, rgb] of among) {
    const far = distance(wanted, rgb);
    if (far < least) [best, least] = [index, far];
  }
  return best;
}

/** Weighted by perception: green most, and red more the redder both are. */
function distance(a: Rgb, b: Rgb): number {
  const red = (a[0] + b[0]) / 2;
  const [dr, dg, db] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  return (2 + red / 256) * dr * dr + 4 * dg * dg + (2 + (255 - red) / 256) * db * db;
}

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The 16 colors are configured by the user; these are readable with most configurations. */
const onBlack: Record<PaletteColor, string> = {
  accent: 'blueBright',
  muted: 'gray',
  border: 'gray',
  heading: 'cyanBright',
  link: 'blueBright',
  code: 'yellow',
  success: 'green',
  warning: 'yellow',
  error: 'red',
  selection: 'gray',
  promptGround: 'gray',
  addedGround: 'green',
  addedMark: 'green',
  removedGround: 'red',
  removedMark: 'red',
  keyword: 'magenta',
  string: 'green',
  number: 'yellow',
  comment: 'gray',
  function: 'blueBright',
  type: 'cyan',
  constant: 'yellow',
  tag: 'red',
};

const onWhite: Record<PaletteColor, string> = {
  ...onBlack,
  accent: 'blue',
  heading: 'blue',
  link: 'blue',
  code: 'magenta',
  warning: 'magenta',
  number: 'red',
  function: 'blue',
  constant: 'red',
};
