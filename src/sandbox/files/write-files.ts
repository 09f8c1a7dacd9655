import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { PermissionDeniedError, UnusableFileError } from '../../contract/errors.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { FileWrite } from '../../contract/tool.ts';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { overwrite } from '../../lib/files/replace-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { decodeText, detectEncoding } from '../../lib/text/text-encoding.ts';
import type { Guard } from '../guard.ts';
import { copyAttributes } from './copy-attributes.ts';
import { NO_LINKS } from './open-file.ts';
import { type MadeFolder, makeFolder } from './open-folder.ts';
import { readWhole, statOrNull } from './stat-file.ts';

export type ChangeOptions = {
  guard: Guard;
  /** Awaited before a change is made; a throw stops it. */
  onBeforeWrite: ((change: FileChange) => Promise<void>) | undefined;
  /** Runs one step on a path; system errors are reported with that path. */
  step<T>(real: string, deed: () => Promise<T>): Promise<T>;
  /** Part of the names of temporary files. */
  mark?: string;
};

/** `was` is what the caller has read, null for nothing; without it anything is replaced. */
export type NewContent = Omit<FileWrite, 'path'> & { real: string };

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINKS;

/** All names are within `folder`, which stays open from the first check to the last. */
type Staged = NewContent & {
  folder: MadeFolder;
  name: string;
  temporary: string;
  backup: string;
  old: Stats | null;
  /** The content of the old file. */
  before: Uint8Array | null;
  /** Overwritten instead of replaced: it has hard links, or the system does not allow replacing it. */
  inPlace: boolean;
};

/** Error codes of a folder where nothing can be created, and of a file that cannot be replaced. */
const NO_REPLACING = ['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV'];

/**
 * Writes the new content of all files, or of none. Everything that can be refused is tried before the first
 * file changes: the new contents are then on disk, and the old ones have second names. Nothing is ever
 * created or replaced through a link, even if one appears meanwhile.
 *
 * Saves by other programs are not lost: the current content is compared with what was read, again just before
 * the replacement, and a write into the old file that comes too late for that is detected right after, by its
 * second name. What remains is another program that replaces the file within the few microseconds between the
 * two.
 *
 * A file with hard links, and one that cannot be replaced (a mount point, a read-only folder), is
 * overwritten. Meanwhile its content is neither the old nor the new; both are stored for undo before.
 */
export async function writeFiles(changes: readonly NewContent[], options: ChangeOptions): Promise<void> {
  const staged: Staged[] = [];
  try {
    await writeStaged(changes, staged, options);
    for (const item of staged) if (!item.inPlace) rmSync(placeOf(item, 'backup'), { force: true });
  } finally {
    for (const { folder } of staged) folder.close();
  }
}

async function writeStaged(
  changes: readonly NewContent[],
  staged: Staged[],
  { guard, onBeforeWrite, step, mark = '' }: ChangeOptions,
): Promise<void> {
  const replaced: Staged[] = [];
  try {
    for (const change of changes) await step(change.real, () => stage(change, { guard, mark }, staged));
    for (const item of staged) {
      const { real, bytes, old, folder } = item;
      await step(real, async () => {
        item.before = old ? await readWhole(real, guard) : null;
        mustBeAsRead(item);
        const was = old && { was: { type: 'file' as const, mode: old.mode & 0o7777 } };
        await onBeforeWrite?.({
          path: real,
          before: item.before,
          after: bytes,
          ...was,
          ...(folder.made !== undefined && { madeFolders: foldersBetween(folder.made, path.dirname(real)) }),
        });
      });
    }
    for (const item of staged) {
      await step(item.real, () => verifyPlace(item, guard));
      if (item.old && !item.inPlace && !item.editor)
        await step(item.real, () => backUp(item, staged.length > 1));
    }
    for (const item of staged) {
      await step(item.real, async () =>
        item.editor ? putThroughEditor(item, replaced, item.editor) : putInPlace(item, replaced),
      );
    }
  } catch (error) {
    await putBackInEditor(replaced);
    const stranded = putBack(replaced);
    for (const item of staged.filter((item) => !stranded.includes(item))) cleanUp(item);
    if (stranded.length === 0) throw error;
    const places = stranded.map(
      ({ real, backup }) => `${real} (its previous content is in ${path.join(path.dirname(real), backup)})`,
    );
    throw new Error(`The write failed and could not be undone for ${places.join(', ')}.`, {
      cause: error,
    });
  }
}

/** Both ends included, outermost first. */
function foldersBetween(outermost: string, innermost: string): string[] {
  const folders = [innermost];
  for (let at = innermost; at !== outermost && at !== path.dirname(at); at = path.dirname(at))
    folders.unshift(path.dirname(at));
  return folders;
}

/** Writes the new content next to the file. Recorded in `staged` before it is created, for cleanup. */
async function stage(
  change: NewContent,
  { guard, mark }: { guard: Guard; mark: string },
  staged: Staged[],
): Promise<void> {
  const { real, bytes } = change;
  const folder = makeFolder(path.dirname(real));
  const beside = `.aca-${mark}${randomBytes(8).toString('hex')}`;
  const item: Staged = {
    ...change,
    ...{ folder, name: path.basename(real), old: null, before: null, inPlace: false },
    ...{ temporary: `${beside}.tmp`, backup: `${beside}.old` },
  };
  staged.push(item);
  item.old = await statOrNull(placeOf(item, 'name'));
  if (item.old) mustBeWritable(item, item.old, guard);
  item.inPlace = item.old !== null && item.old.nlink > 1;
  if (item.inPlace) return;
  try {
    if (await writeSynced(item, bytes)) return;
  } catch (error) {
    if (!item.old || !isErrno(error, NO_REPLACING)) throw error;
  }
  // A new file would lose properties, or cannot be created.
  item.inPlace = true;
  rmSync(placeOf(item, 'temporary'), { force: true });
}

/** The last moment to compare what was read with the current content byte by byte. */
function mustBeAsRead({ was, before }: Staged): void {
  if (was === undefined) return;
  if ((was?.sha256 ?? null) !== (before && sha256(before))) throw changedMeanwhile();
}

function changedMeanwhile(): Error {
  return Object.assign(new Error('Another program changed the file.'), { code: 'ESTALE' });
}

/** What the editor does not save, or saves without a mark or with other line ends, is written here. */
async function putThroughEditor(
  item: Staged,
  replaced: Staged[],
  editor: NonNullable<FileWrite['editor']>,
): Promise<void> {
  const { bytes, before } = item;
  replaced.push(item);
  await editor(bytes);
  const saved = onDisk(item);
  const isOther = saved === null || sameBytes(saved, before) || isSameText(saved, bytes);
  if (isOther && !sameBytes(saved, bytes)) {
    if (item.inPlace && saved) overwrite(placeOf(item, 'name'), bytes, saved);
    else renameSync(placeOf(item, 'temporary'), placeOf(item, 'name'));
  }
  rmSync(placeOf(item, 'temporary'), { force: true });
  // To be taken back by its content: the editor may have replaced the file.
  item.inPlace = true;
}

function onDisk(item: Staged): Uint8Array | null {
  return unlessErrno(['ENOENT'], null, () => readFileSync(placeOf(item, 'name')));
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

function isSameText(a: Uint8Array, b: Uint8Array): boolean {
  const [one, other] = [a, b].map((bytes) => {
    const encoding = detectEncoding(bytes);
    return encoding && decodeText(bytes, encoding).replaceAll(/^\uFEFF+|\r(?=\n)/g, '');
  });
  return one !== null && one === other;
}

/** As far as the editor lets us; the disk is restored in any case. */
async function putBackInEditor(replaced: readonly Staged[]): Promise<void> {
  for (const { editor, before } of replaced.slice(0, -1))
    if (editor && before) await editor(before).catch(() => undefined);
}

function putInPlace(item: Staged, replaced: Staged[]): void {
  const { before, bytes } = item;
  if (!item.inPlace) item.inPlace = !isReplaced(item);
  replaced.push(item);
  if (!item.inPlace) mustBeUntouched(item);
  else if (before) overwrite(placeOf(item, 'name'), bytes, before);
}

/** False if the system does not allow replacing the file. */
function isReplaced(item: Staged): boolean {
  try {
    renameSync(placeOf(item, 'temporary'), placeOf(item, 'name'));
    return true;
  } catch (error) {
    if (!item.before || !isErrno(error, NO_REPLACING)) throw error;
    for (const which of ['temporary', 'backup'] as const) rmSync(placeOf(item, which), { force: true });
    return false;
  }
}

/** Another program may have written into the old file since the check: then it stays. */
function mustBeUntouched(item: Staged): void {
  const kept = item.old && lstatSync(placeOf(item, 'backup'), { throwIfNoEntry: false });
  if (
    kept &&
    item.old?.ino === kept.ino &&
    (kept.size !== item.old.size || kept.mtimeMs !== item.old.mtimeMs)
  )
    throw changedMeanwhile();
}

function placeOf(item: Staged, which: 'name' | 'temporary' | 'backup'): string {
  return item.folder.at(item[which]);
}

function mustBeWritable(item: Staged, old: Stats, guard: Guard): void {
  if (!old.isFile()) throw new UnusableFileError(`${item.real} is not a regular file; it cannot be written.`);
  const because = guard.otherNameBecause(old);
  if (because !== null)
    throw new PermissionDeniedError({ operation: `write ${item.real} (${because})`, by: 'path guard' });
  // Renaming over a read-only file would succeed against its owner's intention.
  accessSync(placeOf(item, 'name'), constants.W_OK);
}

/** The open folder may have been moved and replaced; or the file has changed. */
async function verifyPlace(item: Staged, guard: Guard): Promise<void> {
  const { real, folder, old } = item;
  if ((await guard.check(real, 'write')) !== real || !folder.isStillThere()) {
    throw new PermissionDeniedError({
      operation: `write ${real} (the path changed while it was being written)`,
      by: 'path guard',
    });
  }
  const now = await statOrNull(placeOf(item, 'name'));
  const isSame = (of: 'ino' | 'size' | 'mtimeMs' | 'ctimeMs') => now?.[of] === old?.[of];
  if (!isSame('ino') || !isSame('size') || !isSame('mtimeMs') || !isSame('ctimeMs')) throw changedMeanwhile();
}

/**
 * A second name costs nothing and keeps owner and times; not every file system has them. `needed`: copy
 * instead.
 */
async function backUp(item: Staged, needed: boolean): Promise<void> {
  try {
    linkSync(placeOf(item, 'name'), placeOf(item, 'backup'));
  } catch (error) {
    if (!isErrno(error, ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EACCES']))
      throw error;
    if (needed && item.before) await writeSynced({ ...item, temporary: item.backup }, item.before);
  }
}

/** Restores the old content of files. Returns those that could not be restored. */
function putBack(replaced: readonly Staged[]): Staged[] {
  return replaced.toReversed().filter((item) => {
    try {
      if (item.editor) restoreAfterEditor(item);
      else if (item.inPlace && item.before) restoreOld(item, item.before);
      else if (item.old) renameSync(placeOf(item, 'backup'), placeOf(item, 'name'));
      else rmSync(placeOf(item, 'name'), { force: true });
      return false;
    } catch {
      // Reported by the caller, with the path of the old content.
      return true;
    }
  });
}

/** The editor may have put it back itself, or never written it. */
function restoreAfterEditor(item: Staged): void {
  const { before, bytes } = item;
  const saved = onDisk(item);
  if (saved === null || !isSameText(saved, bytes)) return;
  if (before) overwrite(placeOf(item, 'name'), before, saved);
  else rmSync(placeOf(item, 'name'), { force: true });
}

/** A file that another program has changed meanwhile is left alone. */
function restoreOld(item: Staged, before: Uint8Array): void {
  try {
    overwrite(placeOf(item, 'name'), before, item.bytes);
  } catch (error) {
    if (!isErrno(error, ['ESTALE'])) throw error;
  }
}

function cleanUp(item: Staged): void {
  const { real, folder } = item;
  for (const which of ['temporary', 'backup'] as const) rmSync(placeOf(item, which), { force: true });
  if (folder.made === undefined) return;
  for (let made = path.dirname(real); made.startsWith(folder.made); made = path.dirname(made)) {
    try {
      rmdirSync(made);
    } catch (error) {
      // Another program has put something there, or uses it: leave it.
      if (isErrno(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EBUSY'])) return;
      throw error;
    }
  }
}

/** A new file with the old one's mode, owner and attributes. False if it cannot have them. */
async function writeSynced(item: Staged, bytes: Uint8Array): Promise<boolean> {
  const { old } = item;
  const handle = await open(placeOf(item, 'temporary'), NEW_FILE, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (old && !(await hasTraitsOf(item, old, handle))) return false;
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
}

async function hasTraitsOf(item: Staged, old: Stats, handle: FileHandle): Promise<boolean> {
  const source = openSync(placeOf(item, 'name'), constants.O_RDONLY | NO_LINKS);
  try {
    if (!(await copyAttributes(source, handle.fd))) return false;
  } finally {
    closeSync(source);
  }
  const made = await handle.stat();
  if (made.uid !== old.uid || made.gid !== old.gid) {
    try {
      await handle.chown(old.uid, old.gid);
    } catch (error) {
      // Only root may change the owner.
      if (isErrno(error, ['EPERM', 'EINVAL', 'ENOSYS'])) return false;
      throw error;
    }
  }
  await handle.chmod(old.mode & 0o7777);
  return true;
}
