import type { Style } from '../view/types.ts';
import { type ColorDepth, colorFor } from './color.ts';
import { type Palette, palettes } from './themes.ts';

/** The role of a piece of text; a theme maps it to a style. */
export type Role =
  | 'text'
  | 'muted'
  | 'accent'
  | 'border'
  | 'success'
  | 'warning'
  | 'error'
  | 'selected'
  | 'prompt'
  | 'heading'
  | 'title'
  | 'strong'
  | 'emphasis'
  | 'deleted'
  | 'link'
  | 'code'
  | 'quote'
  | 'bullet'
  | 'added'
  | 'addedText'
  | 'addedMark'
  | 'removed'
  | 'removedText'
  | 'removedMark'
  | SyntaxRole;

export type SyntaxRole =
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'constant'
  | 'tag'
  | 'inserted'
  | 'gone';

export type ThemeName = keyof typeof palettes;

export type Ground = Palette['ground'];

export type Theme = {
  name: ThemeName;
  ground: Ground;
  depth: ColorDepth;
  styles: Readonly<Record<Role, Style>>;
};

/** For lists, and as values of the setting besides `auto`. */
export const themeNames = Object.keys(palettes) as ThemeName[];

export function groundOf(name: ThemeName): Ground {
  return palettes[name].ground;
}

/** A name from a config file or `auto`, which follows the terminal's background. */
export function themeFor(
  setting: string,
  { ground, depth }: { ground: Ground | null; depth: ColorDepth },
): Theme {
  const name = themeNames.find((known) => known === setting) ?? ground ?? 'dark';
  return themeOf(name, depth);
}

export function themeOf(name: ThemeName, depth: ColorDepth): Theme {
  const palette: Palette = palettes[name];
  return {
    name,
    ground: palette.ground,
    depth,
    styles: depth === 'none' ? colorless : stylesOf(palette, depth),
  };
}

function stylesOf(palette: Palette, depth: Exclude<ColorDepth, 'none'>): Record<Role, Style> {
  const color = (name: Exclude<keyof Palette, 'ground'>): string => colorFor(name, palette, depth);
  return {
    text: {},
    muted: { color: color('muted') },
    accent: { color: color('accent') },
    border: { color: color('border') },
    success: { color: color('success') },
    warning: { color: color('warning') },
    error: { color: color('error') },
    selected: depth === '16' ? { inverse: true } : { background: color('selection') },
    prompt: depth === '16' ? {} : { background: color('promptGround') },
    heading: { color: color('heading'), bold: true },
    title: { color: color('heading'), bold: true, underline: true },
    strong: { bold: true },
    emphasis: { italic: true },
    deleted: { strikethrough: true },
    link: { color: color('link'), underline: true },
    code: { color: color('code') },
    quote: { color: color('muted') },
    bullet: { color: color('accent') },
    added: { color: color('success') },
    addedText: depth === '16' ? { color: color('success') } : { background: color('addedGround') },
    addedMark:
      depth === '16' ? { color: color('success'), inverse: true } : { background: color('addedMark') },
    removed: { color: color('error') },
    removedText: depth === '16' ? { color: color('error') } : { background: color('removedGround') },
    removedMark:
      depth === '16' ? { color: color('error'), inverse: true } : { background: color('removedMark') },
    keyword: { color: color('keyword') },
    string: { color: color('string') },
    number: { color: color('number') },
    comment: { color: color('comment'), italic: true },
    function: { color: color('function') },
    type: { color: color('type') },
    constant: { color: color('constant') },
    tag: { color: color('tag') },
    inserted: { color: color('success') },
    gone: { color: color('error') },
  };
}

/** NO_COLOR disables colors only: bold, underline and inverse are still used. */
const colorless: Record<Role, Style> = {
  text: {},
  muted: { dim: true },
  accent: { bold: true },
  border: { dim: true },
  success: {},
  warning: { bold: true },
  error: { bold: true },
  selected: { inverse: true },
  prompt: {},
  heading: { bold: true },
  title: { bold: true, underline: true },
  strong: { bold: true },
  emphasis: { italic: true },
  deleted: { strikethrough: true },
  link: { underline: true },
  code: {},
  quote: { dim: true },
  bullet: {},
  added: { bold: true },
  addedText: {},
  addedMark: { underline: true },
  removed: { dim: true },
  removedText: {},
  removedMark: { underline: true },
  keyword: { bold: true },
  string: {},
  number: {},
  comment: { dim: true },
  function: {},
  type: {},
  constant: {},
  tag: {},
  inserted: {},
  gone: {},
};
