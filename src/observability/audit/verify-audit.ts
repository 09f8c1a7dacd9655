import path from 'node:path';
import { breathing } from '../../lib/async/breathing.ts';
import { sha256 } from '../../lib/sha256.ts';
import { filesOfLog } from '../log/rotating-file.ts';
import { type Head, headFileOf, type Link, parseLine, readHead, readIfAny } from './chained-log.ts';

/** The first deviation. Lines count from one; absent if it concerns a whole file. */
type Break = { file: string; line?: number; because: string };

export type Verified = {
  /** Number of valid entries, up to the first break. */
  entries: number;
  /** The last valid entry. */
  last: Link | null;
  broken: Break | null;
  /** Worth knowing, but not a sign of tampering. */
  notes: string[];
};

/** State of the walk through the files. */
type Walk = {
  head: Head | null;
  anchor: Link | undefined;
  entries: number;
  last: Link | null;
  /** The hash of the entry before the last one. */
  before: string;
  notes: string[];
};

type Entry = NonNullable<ReturnType<typeof parseLine>>;

/**
 * Follows the chain through all files of a log. An `anchor` is an entry recorded elsewhere: without one,
 * anyone with write access could rewrite the whole log.
 */
export function verifyAudit(file: string, anchor?: Link): Verified {
  const steps = verifySteps(file, anchor);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, but others in this process can run meanwhile. */
export async function verifyAuditCalmly(file: string): Promise<Verified> {
  const steps = verifySteps(file);
  const breathe = breathing();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await breathe();
  }
}

type Steps<Result> = Generator<undefined, Result, undefined>;

function* verifySteps(file: string, anchor?: Link): Steps<Verified> {
  const walk: Walk = { head: readHead(file), anchor, entries: 0, last: null, before: '', notes: [] };
  // All at once, before anything is added.
  const files = filesOfLog(file).map((name) => ({ name, bytes: readIfAny(name) }));
  let broken: Break | null = null;
  for (const { name, bytes } of files) broken ??= yield* verifyFile(name, bytes, walk);
  broken ??= checkEnd(file, walk);
  const { entries, last, notes } = walk;
  return { entries, last, broken, notes };
}

function* verifyFile(file: string, bytes: Buffer, walk: Walk): Steps<Break | null> {
  // One character per byte: a change that cannot be decoded must be detected, too.
  const lines = bytes.toString('latin1').split('\n');
  const rest = lines.pop() ?? '';
  const at = (index: number, because: string): Break => ({ file, line: index + 1, because });
  const entries: ReturnType<typeof parseLine>[] = [];
  for (const line of lines) {
    entries.push(parseLine(line));
    yield;
  }
  const first = entries.findIndex((entry) => entry !== null);
  if (!walk.last && first === -1) {
    if (lines.length > 0) walk.notes.push(`${path.basename(file)} predates chained logs: not verified.`);
    return null;
  }
  const begin = walk.last ? 0 : first;
  let torn: string | null = null;
  for (const [i, entry] of entries.entries()) {
    if (i < begin) continue;
    if (!entry) {
      if (torn !== null) return at(i - 1, 'this is not an entry');
      torn = lines[i] ?? '';
      continue;
    }
    if (!entry.intact) return at(i, 'this entry was changed');
    if (torn !== null && entry.torn !== sha256(Buffer.from(torn, 'latin1')))
      return at(i - 1, 'this is not an entry');
    if (torn === null && entry.torn !== undefined && i > begin)
      return at(i, 'the line before it was removed');
    if (torn !== null) walk.notes.push(`${path.basename(file)}:${i} is cut off: a write was interrupted.`);
    torn = null;
    const before = i === begin ? lines.slice(0, begin) : [];
    const wrong = explainPlace(entry, before, walk);
    if (wrong !== null) return at(i, wrong);
    walk.entries += 1;
    walk.last = { seq: entry.seq, hash: entry.hash };
    walk.before = entry.prev;
  }
  if (torn !== null) return at(lines.length - 1, 'this is not an entry');
  return rest === '' ? null : checkRest(walk, (because) => at(lines.length, because));
}

/**
 * Why an entry cannot follow the previous one; null if it can. `before` are the lines before the first entry.
 */
function explainPlace(entry: Entry, before: readonly string[], walk: Walk): string | null {
  const { last, head, anchor, notes } = walk;
  const from = last ?? head?.start ?? { seq: entry.seq - 1, hash: entry.prev };
  const missing = entry.seq - from.seq - 1;
  if (missing > 0) return `${counted(missing)} missing before this one`;
  if (missing < 0 || entry.prev !== from.hash) return 'this entry does not follow the one before it';
  if (!last && !isWhatWasThere(entry, before)) return 'the content before the first entry was changed';
  if (before.length > 0) notes.push(`${before.length} lines predate chained logs.`);
  if (entry.headless)
    return 'the head was missing when this entry was written: entries before it may be missing';
  if (anchor?.seq === entry.seq && anchor.hash !== entry.hash) return 'this is not the anchor entry';
  return null;
}

/** The very first entry covers the lines before it, except for an incomplete one. */
function isWhatWasThere({ seq, prev, torn }: Entry, before: readonly string[]): boolean {
  if (seq > 1) return before.length === 0;
  const kept = torn === undefined ? before : before.slice(0, -1);
  const broken = torn === undefined || sha256(Buffer.from(before.at(-1) ?? '', 'latin1')) === torn;
  return broken && sha256(Buffer.from(kept.map((line) => `${line}\n`).join(''), 'latin1')) === prev;
}

/**
 * The last line is incomplete: a write was interrupted, or, if the head knows more, something was removed.
 */
function checkRest({ head, last, notes }: Walk, at: (because: string) => Break): Break | null {
  if (head && (last?.seq ?? 0) < head.seq) return at('this line is cut off');
  notes.push('The last line is cut off: a write was interrupted.');
  return null;
}

/** Whether the log ends where the head says, and contains the anchor. */
function checkEnd(file: string, { head, last, before, anchor, notes }: Walk): Break | null {
  if (!last) return head || anchor ? { file, because: 'all entries are missing' } : null;
  const of = headFileOf(file);
  if (!head) return { file: of, because: 'it is missing or damaged: entries at the end may be missing' };
  if (last.seq < head.seq) return { file, because: `${counted(head.seq - last.seq)} missing at the end` };
  if (last.seq > head.seq + 1) return { file: of, because: 'the log continues after the entry it names' };
  if ((last.seq === head.seq ? last.hash : before) !== head.hash)
    return { file: of, because: 'it names another last entry' };
  if (last.seq > head.seq) notes.push('The last entry was written just before its process ended.');
  const isKept = !anchor || (anchor.seq > head.start.seq && anchor.seq <= last.seq);
  return isKept ? null : { file, because: `entry ${anchor.seq}, the anchor, is missing` };
}

function counted(entries: number): string {
  return entries === 1 ? '1 entry is' : `${entries} entries are`;
}
