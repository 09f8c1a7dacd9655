import { diffOf, type LineDiff } from '../../lib/text/diff-lines.ts';
import type { Encoding } from '../../lib/text/text-encoding.ts';
import { textOfUnits } from './units.ts';

/** A file's units before and after. */
export type Change = { before: string; after: string; encoding: Encoding };

/** More than the context of a diff, because a diff may shift a change by some lines where lines repeat. */
const LINES_AROUND = 10;
const STEP = 4096;

/**
 * The diff of a possibly huge file. Decodes and compares only the lines between the first and the last
 * change, with some context.
 */
export async function showChange(path: string, { before, after, encoding }: Change): Promise<LineDiff> {
  const same = commonHead(before, after);
  const head = linesBack(before, same);
  const tail = linesOn(before, commonTail(before.slice(same), after.slice(same)));
  const region = (units: string) => textOfUnits(units.slice(head, units.length - tail), encoding);
  const diff = await diffOf(path, region(before), region(after));
  const skipped = countLines(before, head);
  return { ...diff, patch: diff.patch.replaceAll(/^@@ -(\d+)(,\d+) \+(\d+)(,\d+) @@$/gm, renumber(skipped)) };
}

function renumber(skipped: number) {
  return (_: string, from: string, old: string, to: string, fresh: string) =>
    `@@ -${Number(from) + skipped}${old} +${Number(to) + skipped}${fresh} @@`;
}

/** Block by block first: comparing slices is much faster than comparing characters. */
function commonHead(a: string, b: string): number {
  const shortest = Math.min(a.length, b.length);
  let same = 0;
  while (same + STEP <= shortest && a.slice(same, same + STEP) === b.slice(same, same + STEP)) same += STEP;
  while (same < shortest && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

function commonTail(a: string, b: string): number {
  const shortest = Math.min(a.length, b.length);
  const last = (text: string, from: number, count: number) =>
    text.slice(text.length - from - count, text.length - from);
  let same = 0;
  while (same + STEP <= shortest && last(a, same, STEP) === last(b, same, STEP)) same += STEP;
  while (same < shortest && last(a, same, 1) === last(b, same, 1)) same++;
  return same;
}

/** From a position in the first changed line back to the start of its context lines. */
function linesBack(units: string, place: number): number {
  let start = place;
  for (let i = 0; i <= LINES_AROUND && start > 1; i++) start = units.lastIndexOf('\n', start - 2) + 1;
  return start === 1 ? 0 : start;
}

/** The same from the end: the length of the tail after the context lines of the last change. */
function linesOn(units: string, tail: number): number {
  // The character before the tail may be the last of its line, whose ending may have changed.
  let end = units.length - tail - 1;
  for (let i = 0; i <= LINES_AROUND; i++) {
    const newline = units.indexOf('\n', Math.max(0, end) + (i === 0 ? 0 : 1));
    if (newline === -1) return 0;
    end = newline;
  }
  return units.length - end - 1;
}

function countLines(units: string, until: number): number {
  let lines = 0;
  for (let at = units.indexOf('\n'); at !== -1 && at < until; at = units.indexOf('\n', at + 1)) lines++;
  return lines;
}
