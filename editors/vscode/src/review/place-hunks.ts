import type { HunkChange } from '../../../../src/frontends/acp/extension-methods.ts';
import { linesOf } from './lines.ts';

/** A hunk in a document. Lines count from 0; a hunk that only removes lines has none, and `start` is the line after. */
export type PlacedHunk = { id: string; what: string; start: number; count: number };

/**
 * Where hunks are in a document that may have been edited since they were listed. Hunks whose lines the user has changed
 * are left out.
 */
export function placeHunks(hunks: readonly HunkChange[], text: string): PlacedHunk[] {
  const document = text.split(/\r?\n/);
  const placed: PlacedHunk[] = [];
  // How far the edits before a hunk have moved it.
  let shift = 0;
  let free = 0;
  for (const { id, what, lines } of hunks) {
    if (!lines) continue;
    const wanted = linesOf(lines.newText);
    const expected = lines.newStart - 1 + shift;
    const start =
      wanted.length === 0
        ? Math.min(Math.max(expected, free), document.length - 1)
        : nearest(document, wanted, { expected, from: free });
    if (start === null) continue;
    shift = start - (lines.newStart - 1);
    free = start + wanted.length;
    placed.push({ id, what, start, count: wanted.length });
  }
  return placed;
}

/** The hunk at a line, or null. */
export function hunkAt(placed: readonly PlacedHunk[], line: number): PlacedHunk | null {
  const isAt = ({ start, count }: PlacedHunk) =>
    count === 0 ? line === start || line === start - 1 : line >= start && line < start + count;
  // Lines of a hunk come before the place between lines.
  return placed.find((hunk) => hunk.count > 0 && isAt(hunk)) ?? placed.find(isAt) ?? null;
}

type Place = { expected: number; from: number };

/** The place closest to the expected one where these lines are. */
function nearest(
  document: readonly string[],
  wanted: readonly string[],
  { expected, from }: Place,
): number | null {
  const last = document.length - wanted.length;
  for (let distance = 0; distance <= document.length; distance++) {
    for (const start of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (start < from || start > last) continue;
      if (wanted.every((line, i) => document[start + i] === line)) return start;
    }
  }
  return null;
}
