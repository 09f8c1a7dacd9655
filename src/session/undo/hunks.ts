import type { ChangedHunk } from '../../contract/review.ts';
import { sha256 } from '../../lib/sha256.ts';
import { type LineChange, lineChanges } from '../../lib/text/line-changes.ts';
import type { Found } from './file-state.ts';
import { linesOf } from './merge.ts';

/** Lines around a change that are shown with it. */
const CONTEXT = 3;

const NO_LINES = { patch: '', lines: null, added: 0, removed: 0 };

/** A change with what it takes to revert it, starting from the current state. */
export type Hunk = { shown: ChangedHunk; revert: Revert };

type Revert =
  | { type: 'lines'; from: number; to: number; lines: readonly string[] }
  | { type: 'mode'; mode: number | null }
  | { type: 'whole'; next: Found | null };

/** The differences between a file without the changes and the file as it is now; both exist. */
export async function hunksBetween(base: Found, now: Found): Promise<Hunk[]> {
  const mode = modeHunk(base, now);
  if (base.state.hash === now.state.hash && base.state.type === now.state.type) return mode;
  if (!isText(base) || !isText(now)) return [wholeHunk(base, now)];
  const [old, current] = [linesOf(base.bytes), linesOf(now.bytes)];
  const changes = await lineChanges(old, current);
  return [
    ...changes.map(
      (change): Hunk => ({
        shown: shownLines(change, old, current),
        revert: {
          type: 'lines',
          from: change.newStart,
          to: change.newEnd,
          lines: old.slice(change.oldStart, change.oldEnd),
        },
      }),
    ),
    ...mode,
  ];
}

/** Creating, deleting or replacing something is reverted as a whole. */
export function wholeHunk(base: Found | null, now: Found | null): Hunk {
  const isLines = [base, now].every((found) => found === null || isText(found));
  const [old, current] = [base, now].map((found) => (found && isLines ? linesOf(found.bytes) : []));
  const change = {
    oldStart: 0,
    oldEnd: old?.length ?? 0,
    newStart: 0,
    newEnd: current?.length ?? 0,
  };
  const lines = isLines ? shownLines(change, old ?? [], current ?? []) : NO_LINES;
  const id = idOf('whole', base?.state.hash, now?.state.hash);
  return { shown: { ...lines, id, what: wordsFor(base, now) }, revert: { type: 'whole', next: base } };
}

function wordsFor(base: Found | null, now: Found | null): string {
  const { type } = (now ?? base)?.state ?? { type: 'file' };
  const kind = type === 'file' ? 'file' : type;
  if (base === null) return `new ${kind}`;
  if (now === null) return `deleted ${kind}`;
  return base.state.type === now.state.type ? 'binary content' : `${base.state.type} → ${now.state.type}`;
}

function modeHunk(base: Found, now: Found): Hunk[] {
  const { mode } = base.state;
  if (mode === null || now.state.mode === null || mode === now.state.mode) return [];
  const what = `mode ${mode.toString(8)} → ${now.state.mode.toString(8)}`;
  return [{ shown: { ...NO_LINES, id: idOf(what), what }, revert: { type: 'mode', mode } }];
}

/** The state after reverting these hunks; bytes outside of them stay as they are. */
export function reverted(now: Found | null, hunks: readonly Hunk[]): Found | null {
  const whole = hunks.map(({ revert }) => revert).find((revert) => revert.type === 'whole');
  if (whole) return whole.next;
  if (now === null) return null;
  const lines = linesOf(now.bytes);
  let mode = now.state.mode;
  // From the end, so that earlier positions stay valid.
  for (const { revert } of hunks.toReversed()) {
    if (revert.type === 'lines') lines.splice(revert.from, revert.to - revert.from, ...revert.lines);
    else if (revert.type === 'mode') mode = revert.mode;
  }
  const bytes = Buffer.from(lines.join(''), 'latin1');
  return { state: { ...now.state, mode, hash: sha256(bytes) }, bytes };
}

function shownLines(
  { oldStart, oldEnd, newStart, newEnd }: LineChange,
  old: readonly string[],
  now: readonly string[],
): ChangedHunk {
  const before = now.slice(Math.max(0, newStart - CONTEXT), newStart);
  const after = now.slice(newEnd, newEnd + CONTEXT);
  const around = before.length + after.length;
  const removed = oldEnd - oldStart;
  const added = newEnd - newStart;
  const patch = [
    `@@ -${range(oldStart - before.length, removed + around)} +${range(newStart - before.length, added + around)} @@`,
    ...before.flatMap((line) => signed(' ', line)),
    ...old.slice(oldStart, oldEnd).flatMap((line) => signed('-', line)),
    ...now.slice(newStart, newEnd).flatMap((line) => signed('+', line)),
    ...after.flatMap((line) => signed(' ', line)),
    '',
  ].join('\n');
  const what =
    added === 0
      ? `after line ${newStart}`
      : added === 1
        ? `line ${newStart + 1}`
        : `lines ${newStart + 1}-${newEnd}`;
  const [oldText, newText] = [old.slice(oldStart, oldEnd), now.slice(newStart, newEnd)].map(textOf);
  const lines = {
    oldStart: oldStart + 1,
    oldText: oldText ?? '',
    newStart: newStart + 1,
    newText: newText ?? '',
  };
  return { id: idOf('lines', oldText, newText), what, patch, lines, added, removed };
}

function textOf(lines: readonly string[]): string {
  return Buffer.from(lines.join(''), 'latin1').toString('utf8');
}

function idOf(...parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

/** An empty range names the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function signed(sign: string, line: string): string[] {
  const text = textOf([line]);
  return text.endsWith('\n') ? [sign + text.slice(0, -1)] : [sign + text, '\\ No newline at end of file'];
}

export function isText({ state, bytes }: Found): boolean {
  return state.type === 'file' && !bytes.includes(0);
}
