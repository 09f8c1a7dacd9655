import type { Encoding } from '../../lib/text/text-encoding.ts';
import type { Hunk } from './parse-patch.ts';
import { type FlatText, flatten, lineAt, type Range, replaceRanges } from './replace-text.ts';
import { unitsOf } from './units.ts';

export type Patched = { type: 'edited'; units: string } | { type: 'refused'; error: string };

type Place = { range: Range; text: string };

/** Hunks in the order of the file. Never guesses: each must fit exactly one place after the one before. */
export function applyHunks(units: string, encoding: Encoding, hunks: readonly Hunk[]): Patched {
  let text = units;
  let from = 0;
  for (const [i, hunk] of hunks.entries()) {
    const flat = flatten(text);
    const place = placeOf(flat, encoding, { hunk, from });
    if ('error' in place)
      return { type: 'refused', error: `Hunk ${i + 1} of ${hunks.length}: ${place.error}` };
    text = replaceRanges(flat, [place.range], place.text);
    from = place.range.start + place.text.length;
  }
  if (text === units) return { type: 'refused', error: 'The patch changes nothing in it.' };
  return { type: 'edited', units: text };
}

function placeOf(
  flat: FlatText,
  encoding: Encoding,
  { hunk, from }: { hunk: Hunk; from: number },
): Place | { error: string } {
  const inUnits = (lines: readonly string[]) => unitsOf(lines.join('\n'), encoding);
  const [old, fresh] = [inUnits(hunk.old), inUnits(hunk.fresh)];
  if (fresh === null) return { error: `the file is in ${encoding}, which cannot represent the new text.` };
  const start = afterAnchors(
    flat.plain,
    hunk.anchors.map((anchor) => unitsOf(anchor, encoding)),
    from,
  );
  if (start === null) return { error: `there is no line "${hunk.anchors.join('" and after it "')}".` };
  const isAnchored = hunk.anchors.length > 0;
  if (hunk.old.length === 0)
    return inserted(flat.plain, { fresh, at: isAnchored ? start : flat.plain.length });
  const found = old === null ? [] : wholeLines(flat.plain, old, start);
  const fitting = hunk.isAtEnd ? found.filter(({ end }) => isEnd(flat.plain, end)) : found;
  const [range, another] = fitting;
  if (!range)
    return {
      error: `these lines are not in the file${start > 0 ? ' after the hunk before' : ''}:\n${hunk.old.join('\n')}\nRead the file and copy them exactly.`,
    };
  if (another && !isAnchored) {
    const lines = fitting.slice(0, 10).map((one) => lineAt(flat, one.start));
    return {
      error: `its lines appear ${fitting.length} times, on lines ${lines.join(', ')}. Add more lines around the change, or name the function after @@.`,
    };
  }
  if (hunk.fresh.length > 0) return { range, text: fresh };
  // Nothing is left of these lines: their line ending goes, too.
  const end = flat.plain[range.end] === '\n' ? range.end + 1 : range.end;
  return { range: { start: range.start, end }, text: '' };
}

function inserted(plain: string, { fresh, at }: { fresh: string; at: number }): Place {
  const range = { start: at, end: at };
  if (at < plain.length) return { range, text: `${fresh}\n` };
  return { range, text: plain === '' || plain.endsWith('\n') ? `${fresh}\n` : `\n${fresh}` };
}

/** The start of the line after these, each a line without its indentation. */
function afterAnchors(plain: string, anchors: readonly (string | null)[], from: number): number | null {
  let at = from;
  for (const anchor of anchors) {
    const next = anchor === null ? null : lineAfter(plain, anchor, at);
    if (next === null) return null;
    at = next;
  }
  return at;
}

function lineAfter(plain: string, anchor: string, from: number): number | null {
  for (let start = from; start < plain.length; ) {
    const newline = plain.indexOf('\n', start);
    const end = newline === -1 ? plain.length : newline;
    if (plain.slice(start, end).trim() === anchor) return Math.min(plain.length, end + 1);
    start = end + 1;
  }
  return null;
}

/** All places from `from` on where these are whole lines. */
function wholeLines(plain: string, lines: string, from: number): Range[] {
  const found: Range[] = [];
  for (let at = plain.indexOf(lines, from); at !== -1; at = plain.indexOf(lines, at + 1)) {
    const end = at + lines.length;
    const starts = at === 0 || plain[at - 1] === '\n';
    if (starts && (end === plain.length || plain[end] === '\n')) found.push({ start: at, end });
  }
  return found;
}

function isEnd(plain: string, at: number): boolean {
  return at === plain.length || (at === plain.length - 1 && plain[at] === '\n');
}
