import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { toolCallsOf } from '../contract/message.ts';
import { unlessErrno } from '../lib/files/errno.ts';
import { sha256 } from '../lib/sha256.ts';
import type { Folded } from './records.ts';

/**
 * Removes temporary files of interrupted writes. Their names contain the session id, and opening a session
 * locks it, so no other process can be using them, whatever their age. Only searches folders mentioned by
 * open calls.
 */
export function removeLeftovers(file: string, { session, unfinished }: Folded): void {
  const id = path.basename(file, '.jsonl');
  remove(path.dirname(file), (name) => name.startsWith(`.${id}.`) && /\.tmp\.[0-9a-f]{12}$/.test(name));
  const mark = markOf(id);
  const own = new RegExp(`^\\.aca-${mark}[0-9a-f]{16}\\.(tmp|old)$`);
  for (const folder of touchedBy(session, unfinished.started)) remove(folder, (name) => own.test(name));
}

/** The prefix of a session's temporary files. */
export function markOf(sessionId: string): string {
  return sha256(sessionId).slice(0, 16);
}

function remove(folder: string, isOurs: (name: string) => boolean): void {
  for (const name of namesIn(folder)) if (isOurs(name)) rmSync(path.join(folder, name), { force: true });
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

/** All files to change that an input names, alone or in a list. */
function filesIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    key === 'file_path' && typeof value === 'string' ? [value] : filesIn(value),
  );
}

function namesIn(folder: string): string[] {
  // Skip a folder that cannot be read.
  return unlessErrno('any', [], () => readdirSync(folder));
}
