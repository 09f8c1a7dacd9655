import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { toolCallsOf } from '../contract/message.ts';
import type { Folded } from './records.ts';
import { statIfAny } from './undo/standing.ts';

/** What an atomic write of ours is called before it is done: a copy of the session, a file a tool writes. */
const UNFINISHED = /^\..+\.json\.tmp\.[0-9a-f]{12}$|^\.aca-[0-9a-f]{16}\.(tmp|old)$/;
/** A write is begun just after its call was journaled. */
const SOON_MS = 2_000;

/**
 * Removes what the end of a process left behind in its middle: the halves of writes that never became files. Only
 * folders that open calls speak of are looked at, and only what is as old as the journal's last record.
 */
export function removeLeftovers(file: string, { session, unfinished }: Folded): void {
  const before = (statIfAny(file)?.mtimeMs ?? 0) + SOON_MS;
  const id = path.basename(file, '.jsonl');
  remove(path.dirname(file), before, (name) => name.startsWith(`.${id}.`));
  for (const folder of touchedBy(session, unfinished.started)) remove(folder, before, () => true);
}

function remove(folder: string, before: number, isOurs: (name: string) => boolean): void {
  for (const name of namesIn(folder)) {
    const place = path.join(folder, name);
    if (UNFINISHED.test(name) && isOurs(name) && (statIfAny(place)?.mtimeMs ?? Infinity) <= before)
      rmSync(place, { force: true });
  }
}

function touchedBy(
  { workingDirectory, messages }: Folded['session'],
  started: ReadonlySet<string>,
): Set<string> {
  const last = messages.findLast((message) => message.role === 'assistant');
  const calls = last?.role === 'assistant' ? toolCallsOf(last).filter(({ id }) => started.has(id)) : [];
  const files = calls.flatMap(({ input }) => filesIn(input));
  return new Set(files.map((named) => path.dirname(path.resolve(workingDirectory, named))));
}

/** Wherever an input names a file to change, alone or in a list. */
function filesIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    key === 'file_path' && typeof value === 'string' ? [value] : filesIn(value),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    // A folder that cannot be read keeps what it has.
    return [];
  }
}
