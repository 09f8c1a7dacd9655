import type { Stats } from 'node:fs';
import { lstat, readdir, readlink, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import type { Guard } from './guard.ts';
import { readWhole } from './stat-file.ts';
import type { ChangeOptions, FileChange } from './write-files.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const MAX_ENTRIES = 5_000;

type Entry = { real: string; stat: Stats };

/** The real path of the thing itself: links on the way are followed, a link at the end is not. */
export async function ownPath(file: string, guard: Guard): Promise<string> {
  const written = path.normalize(file).replace(/(?<=[^\\/])[\\/]+$/, '');
  const name = path.basename(written);
  if (['', '.', '..', '~'].includes(name)) return guard.check(file, 'write');
  const real = path.join(await guard.check(path.dirname(written), 'write'), name);
  await checkEntry({ real, stat: await lstat(real) }, guard);
  return real;
}

/**
 * Removes a file, a link or a folder with all that is in it. Everything is kept for undo before anything goes; what
 * could not be brought back is not removed. Links are removed themselves and never followed.
 */
export async function removeFiles(
  real: string,
  { guard, onBeforeWrite, step }: ChangeOptions,
): Promise<void> {
  const entries = await step(real, () => entriesUnder(real, guard));
  for (const { real: file, stat } of entries) {
    await step(file, async () =>
      onBeforeWrite?.({ path: file, after: null, ...(await imageOf(file, stat)) }),
    );
  }
  for (const { real: file, stat } of entries.reverse()) {
    await step(file, async () => {
      if (stat.isDirectory()) return rmdir(file);
      const now = await lstat(file);
      if (now.ino !== stat.ino || now.size !== stat.size || now.mtimeMs !== stat.mtimeMs)
        throw new Error(`${file} changed while it was being deleted; it was left alone.`);
      return unlink(file);
    });
  }
}

/** A folder comes before what is in it. */
async function entriesUnder(real: string, guard: Guard): Promise<Entry[]> {
  const entries: Entry[] = [];
  let bytes = 0;
  const open = [real];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const entry = { real: file, stat: await lstat(file) };
    await checkEntry(entry, guard);
    entries.push(entry);
    if (entry.stat.isFile()) bytes += entry.stat.size;
    if (bytes > MAX_BYTES || entries.length > MAX_ENTRIES) throw new Error(tooMuch(real));
    if (entry.stat.isDirectory()) {
      const folder = file;
      open.push(
        ...(await readdir(file))
          .sort()
          .reverse()
          .map((name) => path.join(folder, name)),
      );
    }
  }
  return entries;
}

async function checkEntry({ real, stat }: Entry, guard: Guard): Promise<void> {
  if (stat.isSymbolicLink()) {
    const because = guard.closedBecause(real, 'write');
    if (because !== null) throw new PermissionDeniedError({ operation: `delete ${real} (${because})` });
    return;
  }
  await guard.check(real, 'write');
  if (!stat.isFile() && !stat.isDirectory())
    throw new Error(
      `${real} is a pipe, socket or device; it could not be brought back, so it is not deleted.`,
    );
}

async function imageOf(file: string, stat: Stats): Promise<Pick<FileChange, 'before' | 'was'>> {
  const mode = stat.mode & 0o7777;
  if (stat.isDirectory()) return { before: new Uint8Array(), was: { type: 'folder', mode } };
  if (stat.isSymbolicLink())
    return { before: Buffer.from(await readlink(file)), was: { type: 'link', mode } };
  return { before: await readWhole(file), was: { type: 'file', mode } };
}

function tooMuch(real: string): string {
  return (
    `${real} holds more than ${MAX_ENTRIES} files and folders or ${MAX_BYTES / 1024 / 1024} MB, too much to keep for undo. ` +
    'Delete smaller parts of it, or have the user run a command such as rm.'
  );
}
