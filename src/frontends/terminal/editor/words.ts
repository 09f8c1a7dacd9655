import { settled, settledBack } from './graphemes.ts';

/** Letters, digits and their combining marks; a folded piece counts as a word. */
const WORD = /[\p{L}\p{N}\p{M}_\u{100000}-\u{10fffd}]/u;

const isWord = (character: string) => WORD.test(character);
const isInk = (character: string) => !/\s/u.test(character);

/** To the start of the word at or before `at`. */
export function wordLeft(text: string, at: number): number {
  return back(text, at, isWord);
}

/** To the end of the word at or after `at`. */
export function wordRight(text: string, at: number): number {
  let place = skip(text, at, (character) => !isWord(character));
  place = skip(text, place, isWord);
  return settled(text, place);
}

/** To the last space before `at`. */
export function bigWordLeft(text: string, at: number): number {
  return back(text, at, isInk);
}

/** Vim's character classes: words, punctuation, spaces. With `big` everything but spaces is one class. */
export function kindOf(character: string, size: 'small' | 'big'): 'blank' | 'word' | 'sign' {
  if (!isInk(character)) return 'blank';
  return size === 'big' || isWord(character) ? 'word' : 'sign';
}

/** The end of the run of characters accepted by `fits`, from `at` on. */
export function skip(text: string, at: number, fits: (character: string) => boolean): number {
  let place = at;
  while (place < text.length) {
    const character = String.fromCodePoint(text.codePointAt(place) ?? 0);
    if (!fits(character)) break;
    place += character.length;
  }
  return place;
}

/** The start of the run of characters accepted by `fits`, from `at` back. */
export function skipBack(text: string, at: number, fits: (character: string) => boolean): number {
  let place = at;
  while (place > 0) {
    const low = text.charCodeAt(place - 1);
    const pair = place > 1 && low >= 0xdc_00 && low <= 0xdf_ff;
    const character = text.slice(place - (pair ? 2 : 1), place);
    if (!fits(character)) break;
    place -= character.length;
  }
  return place;
}

function back(text: string, at: number, fits: (character: string) => boolean): number {
  const gap = skipBack(text, at, (character) => !fits(character));
  return settledBack(text, skipBack(text, gap, fits));
}
