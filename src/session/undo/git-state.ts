import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { NotRegularFileError, readRegularFile } from '../../lib/files/regular-file.ts';
import { statIfAny } from './file-state.ts';
import type { Objects } from './objects.ts';

/**
 * What the git commands of a run saw at its start: HEAD as it is in its file, the commit (null before the first one), and
 * the hash of the saved index, null if it is not saved. `elsewhere`: the repository is not in the folder.
 */
export type GitState = { head: string; commit: string | null; index: string | null } | 'elsewhere';

/** HEAD of a repository whose state can be restored. */
export const HEAD = /^(ref: refs\/heads\/(?!.*\.\.)[^\0-\x20\\]+|[0-9a-f]{40,64})$/;
export const COMMIT = /^[0-9a-f]{40,64}$/;

/** A larger index is not saved. */
const MOST_INDEX_BYTES = 2 * 1024 * 1024;

/** Null where there is no repository. Runs no program. */
export function gitStateOf(folder: string, objects: Objects): GitState | null {
  const repository = path.join(folder, '.git');
  const stat = statIfAny(repository);
  if (!stat) return isInRepository(path.dirname(folder)) ? 'elsewhere' : null;
  const head = stat.isDirectory() ? textOf(path.join(repository, 'HEAD')) : null;
  const commit = head && commitOf(repository, head);
  if (head === null || !HEAD.test(head) || (commit !== null && !COMMIT.test(commit))) return 'elsewhere';
  const file = path.join(repository, 'index');
  const size = statIfAny(file)?.size ?? Infinity;
  const index = size <= MOST_INDEX_BYTES ? bytesOf(file) : null;
  return { head, commit, index: index && objects.put(index) };
}

function isInRepository(folder: string): boolean {
  if (statIfAny(path.join(folder, '.git'))) return true;
  const above = path.dirname(folder);
  return above !== folder && isInRepository(above);
}

function commitOf(repository: string, head: string): string | null {
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const loose = textOf(path.join(repository, ...ref.split('/')));
  if (loose !== null) return loose;
  const packed = textOf(path.join(repository, 'packed-refs')) ?? '';
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line?.split(' ')[0] ?? null;
}

function textOf(file: string): string | null {
  return bytesOf(file)?.toString('utf8').trim() ?? null;
}

function bytesOf(file: string): Buffer | null {
  try {
    return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES'], null, () => readRegularFile(file));
  } catch (error) {
    if (error instanceof NotRegularFileError) return null;
    throw error;
  }
}
