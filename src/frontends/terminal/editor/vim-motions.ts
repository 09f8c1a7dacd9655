import { after, before, lineEnd, lineStart, settled, settledBack } from './graphemes.ts';
import type { Draft } from './text-buffer.ts';
import { kindOf, skip, skipBack } from './words.ts';

/** The target of a motion. `whole` includes the character there, `lines` means whole lines. */
export type Motion = { at: number; reach: 'up to' | 'whole' | 'lines' };

export type Find = { way: 'f' | 'F' | 't' | 'T'; character: string };

/** The motion of a key, `count` times; null when it is not a motion, or cannot move. */
export function motionOf(name: string, { text, at }: Draft, count: number): Motion | null {
  const times = (step: (place: number) => number) => {
    let place = at;
    for (let i = 0; i < Math.min(count, text.length + 1); i++) place = step(place);
    return place;
  };
  switch (name) {
    case 'h':
      return upTo(times((place) => Math.max(lineStart(text, at), before(text, place))));
    case 'l':
    case ' ':
      return upTo(times((place) => Math.min(lineEnd(text, at), after(text, place))));
    case '0':
      return upTo(lineStart(text, at));
    case '^':
      return upTo(firstInk(text, at));
    case '$':
      return upTo(lineEnd(text, at));
    case 'w':
    case 'W':
      return upTo(times((place) => nextWord(text, place, sizeOf(name))));
    case 'b':
    case 'B':
      return upTo(times((place) => wordStart(text, place, sizeOf(name))));
    case 'e':
    case 'E':
      return { at: times((place) => wordEnd(text, place, sizeOf(name))), reach: 'whole' };
    case 'j':
    case 'k':
      return { at: otherLine(text, at, name === 'j' ? count : -count), reach: 'lines' };
    case 'G':
      return { at: lineStart(text, text.length), reach: 'lines' };
    case 'gg':
      return { at: 0, reach: 'lines' };
    default:
      return null;
  }
}

/** To a character on this line, or next to it. */
export function findMotion({ text, at }: Draft, { way, character }: Find, count: number): Motion | null {
  const isForward = way === 'f' || way === 't';
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  let place = at;
  for (let i = 0; i < count; i++) {
    place = isForward
      ? text.indexOf(character, after(text, place))
      : place > start
        ? text.lastIndexOf(character, place - 1)
        : -1;
    if (place < start || place >= end) return null;
  }
  const near = way === 't' ? before(text, place) : way === 'T' ? after(text, place) : place;
  return { at: settledBack(text, near), reach: isForward ? 'whole' : 'up to' };
}

/** The word at the caret; `around` includes the spaces after it. */
export function wordObject({ text, at }: Draft, around: boolean): { from: number; to: number } {
  const kind = kindAt(text, at);
  const isSame = (character: string) => character !== '\n' && kindOf(character, 'small') === kind;
  const from = settledBack(text, skipBack(text, at, isSame));
  const end = skip(text, at, isSame);
  const to = around ? skip(text, end, (character) => character === ' ' || character === '\t') : end;
  return { from, to: settled(text, to) };
}

/** The text between two quotes or brackets around the caret; null if there are none. */
export function pairObject(
  { text, at }: Draft,
  sign: string,
  around: boolean,
): { from: number; to: number } | null {
  const [open, close] = pairs.find((pair) => pair.includes(sign)) ?? [sign, sign];
  const start = text[at] === open ? at : text.lastIndexOf(open, Math.max(0, at - 1));
  const end = text.indexOf(close, Math.max(at, start + 1));
  if (start < 0 || end < 0 || (text[at] !== open && at === 0)) return null;
  return around ? { from: start, to: end + 1 } : { from: start + 1, to: end };
}

const pairs: readonly (readonly [string, string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
];

export function firstInk(text: string, at: number): number {
  const start = lineStart(text, at);
  return settled(
    text,
    skip(text, start, (character) => character === ' ' || character === '\t'),
  );
}

function upTo(at: number): Motion {
  return { at, reach: 'up to' };
}

function sizeOf(name: string): 'small' | 'big' {
  return name === name.toUpperCase() ? 'big' : 'small';
}

function kindAt(text: string, at: number, size: 'small' | 'big' = 'small') {
  const code = text.codePointAt(at);
  return code === undefined ? 'blank' : kindOf(String.fromCodePoint(code), size);
}

function nextWord(text: string, at: number, size: 'small' | 'big'): number {
  const kind = kindAt(text, at, size);
  const end = kind === 'blank' ? at : skip(text, at, (character) => kindOf(character, size) === kind);
  return settled(
    text,
    skip(text, end, (character) => kindOf(character, size) === 'blank'),
  );
}

function wordStart(text: string, at: number, size: 'small' | 'big'): number {
  const gap = skipBack(text, at, (character) => kindOf(character, size) === 'blank');
  if (gap === 0) return 0;
  const kind = kindAt(text, before(text, gap), size);
  return settledBack(
    text,
    skipBack(text, gap, (character) => kindOf(character, size) === kind),
  );
}

/** The last character of the next word end after the caret. */
function wordEnd(text: string, at: number, size: 'small' | 'big'): number {
  const next = skip(text, after(text, at), (character) => kindOf(character, size) === 'blank');
  if (next >= text.length) return before(text, text.length);
  const kind = kindAt(text, next, size);
  const end = skip(text, next, (character) => kindOf(character, size) === kind);
  return before(text, settled(text, end));
}

/** The same column this many lines away, as far as there are lines and the line reaches. */
function otherLine(text: string, at: number, by: number): number {
  let place = lineStart(text, at);
  const column = at - place;
  for (let i = 0; i < Math.abs(by); i++) {
    const end = lineEnd(text, place);
    if (by > 0 && end < text.length) place = end + 1;
    if (by < 0 && place > 0) place = lineStart(text, place - 1);
  }
  return settledBack(text, Math.min(place + column, lineEnd(text, place)));
}
