import { diffArrays } from 'diff';

/** A line of a difference. `line` is its number in the file, in the old one if it was removed. */
export type DiffRow =
  | { sign: ' ' | '+' | '-'; text: string; line: number | null; changed?: [start: number, end: number] }
  /** Unchanged lines that are left out. */
  | { sign: '…'; count: number };

export type Change = {
  oldText: string | null;
  newText: string;
  /** Numbers of the first lines, if known. */
  oldLine?: number | undefined;
  newLine?: number | undefined;
};

/** Unchanged lines around a change. */
const CONTEXT = 3;
/** More differences than this are not looked for: everything counts as replaced. */
const MOST_EDITS = 400;

/** The rows of a change, as in a unified diff. */
export function diffRows({ oldText, newText, oldLine, newLine }: Change): DiffRow[] {
  const before = oldText === null ? [] : linesOf(oldText);
  const after = linesOf(newText);
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, added: true, removed: false },
  ];
  const signed = parts.flatMap(({ value, added, removed }) =>
    value.map((text) => `${added ? '+' : removed ? '-' : ' '}${text}`),
  );
  return rowsOf(signed, { oldLine: oldLine ?? null, newLine: newLine ?? (oldText === null ? 1 : null) });
}

/** Rows from lines with their signs. */
export function rowsOf(
  lines: readonly string[],
  { oldLine, newLine }: { oldLine: number | null; newLine: number | null },
): DiffRow[] {
  let before = oldLine;
  let after = newLine;
  const rows = lines.flatMap((line): DiffRow[] => {
    const sign = line[0];
    if (sign !== '+' && sign !== '-' && sign !== ' ') return [];
    const number = sign === '-' ? before : after;
    if (sign !== '+' && before !== null) before++;
    if (sign !== '-' && after !== null) after++;
    return [{ sign, text: line.slice(1), line: number }];
  });
  return folded(markChanges(rows));
}

export function countChanges(rows: readonly DiffRow[]): { added: number; removed: number } {
  const count = (sign: DiffRow['sign']) => rows.filter((row) => row.sign === sign).length;
  return { added: count('+'), removed: count('-') };
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

type Line = Exclude<DiffRow, { sign: '…' }>;

/** Where as many lines were added as removed, marks what differs within each pair. */
function markChanges(rows: DiffRow[]): DiffRow[] {
  const result = rows.map((row) => ({ ...row }));
  for (let start = 0; start < result.length; ) {
    const removed = runOf(result, start, '-');
    const added = runOf(result, start + removed.length, '+');
    if (removed.length === added.length) {
      for (const [index, old] of removed.entries()) markPair(old, added[index]);
    }
    start += Math.max(1, removed.length + added.length);
  }
  return result;
}

function runOf(rows: readonly DiffRow[], start: number, sign: '+' | '-'): Line[] {
  const run: Line[] = [];
  for (let index = start; rows[index]?.sign === sign; index++) run.push(rows[index] as Line);
  return run;
}

function markPair(old: Line, fresh: Line | undefined): void {
  if (!fresh) return;
  const a = old.text;
  const b = fresh.text;
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let same = 0;
  while (same < most - start && a.at(-1 - same) === b.at(-1 - same)) same++;
  // Lines with little in common are two lines, not one that changed.
  if (start + same < most / 3) return;
  old.changed = [start, a.length - same];
  fresh.changed = [start, b.length - same];
}

/** Leaves out unchanged lines far from every change. */
function folded(rows: readonly DiffRow[]): DiffRow[] {
  const isNear = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  const result: DiffRow[] = [];
  for (const [index, row] of rows.entries()) {
    const last = result.at(-1);
    if (isNear[index]) result.push(row);
    else if (last?.sign === '…') last.count++;
    else result.push({ sign: '…', count: 1 });
  }
  return result;
}
