import type { Key } from '../view/types.ts';

/** A line being typed; `at` counts UTF-16 units and is always between whole characters. */
export type TextLine = { text: string; at: number };

export const emptyLine: TextLine = { text: '', at: 0 };

export function lineOf(text: string): TextLine {
  return { text, at: text.length };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The line after a key, or null when the key does not edit. A paste becomes one line. */
export function edited(line: TextLine, key: Key): TextLine | null {
  if (key.type === 'paste') return written(line, key.text.replaceAll(/\s*\p{Cc}+\s*/gu, ' '));
  if (key.type !== 'key') return null;
  if (key.ctrl) return byControl(line, key.name);
  if (key.alt) return null;
  const { text, at } = line;
  switch (key.name) {
    case 'left':
      return { text, at: before(text, at) };
    case 'right':
      return { text, at: after(text, at) };
    case 'home':
      return { text, at: 0 };
    case 'end':
      return { text, at: text.length };
    case 'backspace':
      return cut(text, before(text, at), at);
    case 'delete':
      return cut(text, at, after(text, at));
    default:
      return key.text === '' || /\p{Cc}/u.test(key.text) ? null : written(line, key.text);
  }
}

function byControl({ text, at }: TextLine, name: string): TextLine | null {
  switch (name) {
    case 'a':
      return { text, at: 0 };
    case 'e':
      return { text, at: text.length };
    case 'b':
      return { text, at: before(text, at) };
    case 'f':
      return { text, at: after(text, at) };
    case 'h':
      return cut(text, before(text, at), at);
    case 'u':
      return cut(text, 0, at);
    case 'k':
      return cut(text, at, text.length);
    case 'w':
      return cut(text, text.slice(0, at).replace(/\S*\s*$/, '').length, at);
    default:
      return null;
  }
}

function written({ text, at }: TextLine, added: string): TextLine {
  return { text: text.slice(0, at) + added + text.slice(at), at: at + added.length };
}

function cut(text: string, from: number, to: number): TextLine {
  return { text: text.slice(0, from) + text.slice(to), at: from };
}

function before(text: string, at: number): number {
  return boundaries(text).findLast((place) => place < at) ?? 0;
}

function after(text: string, at: number): number {
  return boundaries(text).find((place) => place > at) ?? text.length;
}

function boundaries(text: string): number[] {
  return [...Array.from(graphemes.segment(text), ({ index }) => index), text.length];
}
