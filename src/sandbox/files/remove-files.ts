import { lstatSync, readdirSync, readlinkSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import path from 'node:path';
import { PermissionDeniedError, UnusableFileError } from '../../contract/errors.ts';
import type { FileChange } from '../../contract/file-change.ts';
import { foldPath } from '../../lib/paths/fold-path.ts';
import type { Guard } from '../guard.ts';
import { openFolder } from './open-folder.ts';
import { readWhole } from './stat-file.ts';
import type { ChangeOptions } from './write-files.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_ENTRIES = 5_000;

type Entry = { real: string; stat: Stats };

/** The real path of the entry itself: links in the path are followed, a link at the end is not. */
export async function ownPath(file: string, guard: Guard): Promise<string> {
  const real = await guard.check(file, 'write', { itself: true });
  await checkEntry({ real, stat: lstatSync(real) }, guard);
  return real;
}

/**
 * Removes a file, a link or a folder with everything in it. Everything is stored for undo before anything is
 * removed; what could not be restored is not removed. Links are removed themselves and never followed.
 */
export async function removeFiles(
  real: string,
  { guard, onBeforeWrite, step }: ChangeOptions,
): Promise<void> {
  const entries = await step(real, () => entriesUnder(real, guard));
  for (const entry of entries) {
    await step(entry.real, async () =>
      onBeforeWrite?.({ path: entry.real, after: null, ...(await imageOf(entry, guard)) }),
    );
  }
  for (const entry of entries.reverse()) {
    await step(entry.real, async () => removeEntry(entry));
  }
}

/** In its open folder: a link put in its path has no effect. */
function removeEntry({ real, stat }: Entry): void {
  const folder = openFolder(path.dirname(real));
  try {
    const place = folder.at(path.basename(real));
    const now = lstatSync(place);
    if (stat.isDirectory()) rmdirSync(place);
    else if (now.ino !== stat.ino || now.size !== stat.size || now.mtimeMs !== stat.mtimeMs)
      throw new UnusableFileError(`${real} changed while it was being deleted, so it was left unchanged.`);
    else unlinkSync(place);
  } finally {
    folder.close();
  }
}

/** A folder comes before its content. */
async function entriesUnder(real: string, guard: Guard): Promise<Entry[]> {
  const entries: Entry[] = [];
  let bytes = 0;
  const open = [real];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const entry = { real: file, stat: lstatSync(file) };
    await checkEntry(entry, guard);
    if (path.basename(foldPath(file)) === '.git' && file !== real) throw new Error(holdsGit(file));
    entries.push(entry);
    if (entry.stat.isFile()) bytes += entry.stat.size;
    if (bytes > MAX_BYTES || entries.length > MAX_ENTRIES) throw new Error(tooMuch(real));
    if (entry.stat.isDirectory()) {
      const folder = file;
      open.push(
        ...namesIn(file)
          .sort()
          .reverse()
          .map((name) => path.join(folder, name)),
      );
    }
  }
  return entries;
}

function namesIn(real: string): string[] {
  const folder = openFolder(real);
  try {
    return readdirSync(folder.at('.'));
  } finally {
    folder.close();
  }
}

async function checkEntry({ real, stat }: Entry, guard: Guard): Promise<void> {
  if (stat.isSymbolicLink()) {
    const because = guard.closedBecause(real, 'write');
    if (because !== null)
      throw new PermissionDeniedError({ operation: `delete ${real} (${because})`, by: 'path guard' });
    return;
  }
  if ((await guard.check(real, 'write')) !== real) {
    throw new PermissionDeniedError({
      operation: `delete ${real} (the path changed while it was being checked)`,
      by: 'path guard',
    });
  }
  if (!stat.isFile() && !stat.isDirectory())
    throw new Error(
      `${real} is a pipe, socket or device. It could not be restored by undo, so it was not deleted.`,
    );
}

async function imageOf(
  { real: file, stat }: Entry,
  guard: Guard,
): Promise<Pick<FileChange, 'before' | 'was'>> {
  const mode = stat.mode & 0o7777;
  if (stat.isDirectory()) return { before: new Uint8Array(), was: { type: 'folder', mode } };
  if (stat.isSymbolicLink()) return { before: Buffer.from(readlinkSync(file)), was: { type: 'link', mode } };
  return { before: await readWhole(file, guard), was: { type: 'file', mode } };
}

function holdsGit(folder: string): string {
  return (
    `${folder} is a git repository with its history. Nothing was deleted. ` +
    'Delete the other files, or ask the user to run a command such as rm.'
  );
}

function tooMuch(real: string): string {
  return (
    `${real} contains more than ${MAX_ENTRIES} files and folders or ${MAX_BYTES / 1024 / 1024} MB, too much to save for undo. ` +
    'Delete smaller parts of it, or ask the user to run a command such as rm.'
  );
}
