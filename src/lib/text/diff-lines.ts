import { commonEnds } from './line-changes.ts';

/** A unified diff and its line counts. */
export type LineDiff = { kind: 'diff'; path: string; patch: string; added: number; removed: number };

type Lines = readonly string[];
type Hunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

const CONTEXT = 3;
/** After this time the changed region is shown as replaced entirely: correct, if not minimal. */
const MAX_MS = 250;

/** The change of one file for people. `before` is null for a new file. */
export async function diffOf(path: string, before: string | null, after: string): Promise<LineDiff> {
  const hunks = await hunksOf(splitLines(before ?? ''), splitLines(after));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    kind: 'diff',
    path,
    patch: [
      before === null ? '--- /dev/null' : `--- a/${path}`,
      `+++ b/${path}`,
      ...hunks.flatMap((hunk) => [headingOf(hunk), ...hunk.lines]),
      '',
    ].join('\n'),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/**
 * Compares only the region between common leading and trailing lines, so that a small edit of a huge file is
 * fast.
 */
async function hunksOf(before: Lines, after: Lines): Promise<Hunk[]> {
  const { head, tail } = commonEnds(before, after);
  if (head === before.length && head === after.length) return [];
  const start = Math.max(0, head - CONTEXT);
  const keep = Math.max(0, tail - CONTEXT);
  const oldMiddle = before.slice(start, before.length - keep);
  const newMiddle = after.slice(start, after.length - keep);
  const { structuredPatch } = await import('diff');
  const patch = structuredPatch('', '', oldMiddle.join(''), newMiddle.join(''), '', '', {
    context: CONTEXT,
    timeout: MAX_MS,
  });
  const hunks = patch?.hunks ?? [replaced(oldMiddle, newMiddle)];
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + start,
    newStart: hunk.newStart + start,
  }));
}

function replaced(before: Lines, after: Lines): Hunk {
  return {
    oldStart: 1,
    oldLines: before.length,
    newStart: 1,
    newLines: after.length,
    lines: [...before.flatMap((line) => signed('-', line)), ...after.flatMap((line) => signed('+', line))],
  };
}

function signed(sign: '-' | '+', line: string): string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'];
}

function headingOf(hunk: Hunk): string {
  return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}

/** An empty range names the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** Lines with their newlines: joining them restores the text. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}
