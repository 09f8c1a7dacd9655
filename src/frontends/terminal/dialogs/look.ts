import { wrap } from '../text/wrap.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line, Span, Style } from '../view/types.ts';

/** The role of a piece of a dialog, independent of the theme. */
type Tone = 'plain' | 'quiet' | 'border' | 'title' | 'accent' | 'chosen' | 'warn' | 'danger' | 'good';

export type Look = Readonly<Record<Tone, Style>>;

/** The size of a dialog, and its styles. */
export type Frame = { columns: number; rows: number; look: Look };

const looks = new WeakMap<Theme, Look>();

export function lookOf(theme: Theme): Look {
  const known = looks.get(theme);
  if (known) return known;
  const { text, muted, border, heading, accent, selected, warning, error, success } = theme.styles;
  const look = {
    plain: text,
    quiet: muted,
    border,
    title: heading,
    accent: { ...accent, bold: true },
    chosen: { ...selected, bold: true },
    warn: warning,
    danger: { ...error, bold: true },
    good: success,
  };
  looks.set(theme, look);
  return look;
}

export function span(text: string, style: Style): Span {
  return Object.keys(style).length === 0 ? { text } : { text, style };
}

/** The whole text, wrapped between words. */
export function rowsOf(text: string, columns: number, style: Style): Line[] {
  return wrap([span(text, style)], columns);
}

/** The plain text of a row. */
export function textOfLine(line: Line): string {
  return line.map(({ text }) => text).join('');
}
