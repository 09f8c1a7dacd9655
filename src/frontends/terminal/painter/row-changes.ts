import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../text/measure.ts';

const ESC = '\u001b';
const STYLE = new RegExp(`${ESC}\\[([\\d;]*)m`, 'g');
/** Characters whose width differs between terminals: the cursor cannot be moved past them by counting. */
const UNSURE_WIDTH = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{M}\u200d]/u;
/** A character that never joins with the one before it, after one that never joins with the next. */
const SEPARATE = /[\x20-\x7e\u3000-\u9fff]$/;

/** What to write from `column` on. Without `toEnd`, the rest of the row stays. */
export type RowChange = { column: number; text: string; toEnd: boolean };

/** The part of a painted row that differs from what the terminal shows. */
export function rowChange(old: string, next: string): RowChange {
  const whole = { column: 0, text: next, toEnd: true };
  if (old === '' || next.includes(`${ESC}]`) || old.includes(`${ESC}]`)) return whole;
  let start = commonStart(old, next);
  while (start > 0 && !isCut(old, next, start)) start--;
  const before = next.slice(0, start);
  if (UNSURE_WIDTH.test(before)) return whole;
  const column = widthOf(stripVTControlCharacters(before));
  const open = sequences(openStyles(before));
  const end = sameEnd(old, next, start);
  if (end === 0) return { column, text: open + next.slice(start), toEnd: true };
  const text = next.slice(start, next.length - end);
  const close = openStyles(before + text).map(({ off }) => `${ESC}[${off}m`);
  return { column, text: `${open}${text}${close.reverse().join('')}`, toEnd: false };
}

/** Where rows were inserted or removed, so that as much as possible of the others is unchanged. */
export function gapOf(old: readonly string[], next: readonly string[]): number {
  const added = next.length - old.length;
  const [short, shiftOld, shiftNext] = added > 0 ? [old.length, 0, added] : [next.length, -added, 0];
  const same = (i: number, j: number) => {
    const [one = '', other = ''] = [old[i], next[j]];
    return one === other ? one.length + 1 : commonStart(one, other);
  };
  let likeness = 0;
  for (let i = 0; i < short; i++) likeness += same(i + shiftOld, i + shiftNext);
  let [best, gap] = [likeness, 0];
  for (let i = 0; i < short; i++) {
    likeness += same(i, i) - same(i + shiftOld, i + shiftNext);
    if (likeness >= best) [best, gap] = [likeness, i + 1];
  }
  return gap;
}

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

/** The length of the common end that is already in its place, in the same style. */
function sameEnd(old: string, next: string, start: number): number {
  const most = Math.min(old.length, next.length) - start;
  let end = 0;
  while (end < most && old.at(-1 - end) === next.at(-1 - end)) end++;
  while (end > 0 && !(isCut(old, old, old.length - end) && isCut(next, next, next.length - end))) end--;
  if (end === 0) return 0;
  const [was, is] = [old.slice(0, old.length - end), next.slice(0, next.length - end)];
  const [wasText, isText] = [stripVTControlCharacters(was), stripVTControlCharacters(is)];
  const stays =
    !UNSURE_WIDTH.test(wasText + isText) &&
    widthOf(wasText) === widthOf(isText) &&
    sequences(openStyles(was)) === sequences(openStyles(is));
  return stays ? end : 0;
}

/** Whether both rows can be split here: between characters, and not inside an escape sequence. */
function isCut(one: string, other: string, at: number): boolean {
  const before = one.slice(Math.max(0, at - 24), at);
  const sequence = before.lastIndexOf(ESC);
  if (sequence !== -1 && !before.includes('m', sequence)) return false;
  const joins = (text: string) => UNSURE_WIDTH.test(text.slice(at, at + 2));
  return (at === 0 || SEPARATE.test(before)) && !joins(one) && !joins(other);
}

type OpenStyle = { sequence: string; off: string };

function sequences(styles: readonly OpenStyle[]): string {
  return styles.map(({ sequence }) => sequence).join('');
}

/** The styles that are on at the end of a painted text. */
function openStyles(painted: string): OpenStyle[] {
  let open: OpenStyle[] = [];
  for (const [sequence, codes = ''] of painted.matchAll(STYLE)) {
    const off = OFF[codes];
    if (off === 'off') open = open.filter((one) => one.off !== codes);
    else open.push({ sequence, off: off ?? (/^(4|10)/.test(codes) ? '49' : '39') });
  }
  return open;
}

/** What ends a style; anything else is a color. */
const OFF: Readonly<Record<string, string>> = {
  ...{ 1: '22', 2: '22', 3: '23', 4: '24', 7: '27', 9: '29' },
  ...{ 22: 'off', 23: 'off', 24: 'off', 27: 'off', 29: 'off', 39: 'off', 49: 'off' },
};
