import { readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { NotRegularFileError, readRegularFile } from '../../lib/files/regular-file.ts';
import { statIfAny } from './file-state.ts';
import type { Objects } from './objects.ts';

/**
 * What the git commands of a run saw at its start: HEAD as it is in its file, the commit (null before the first one), and
 * the hash of the saved index, null if it is not saved. `refs` is the hash of the saved branches and tags: a line each, as in
 * `packed-refs`; absent if they are not saved. `elsewhere`: the repository is not in the folder.
 */
export type GitState =
  | { head: string; commit: string | null; index: string | null; refs?: string }
  | 'elsewhere';

/** HEAD of a repository whose state can be restored. */
export const HEAD = /^(ref: refs\/heads\/(?!.*\.\.)[^\0-\x20\\]+|[0-9a-f]{40,64})$/;
export const COMMIT = /^[0-9a-f]{40,64}$/;

/** A branch or a tag in `packed-refs`. */
export const REF = /^[0-9a-f]{40,64} refs\/(heads|tags)\/(?!.*\.\.)[^\0-\x20\\]+$/;

/** A larger index is not saved, nor are more branches and tags that have files of their own. */
const MOST_INDEX_BYTES = 2 * 1024 * 1024;
const MOST_REF_FILES = 1_000;

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
  const refs = refsOf(repository);
  const saved = refs !== null && refs.length <= MOST_INDEX_BYTES ? objects.put(Buffer.from(refs)) : null;
  return { head, commit, index: index && objects.put(index), ...(saved !== null && { refs: saved }) };
}

/** The branches and tags, as in `packed-refs`; null if they are kept in another way, or are too many. */
function refsOf(repository: string): string | null {
  const files: string[] = [];
  const collect = (ref: string): boolean => {
    const entries = unlessErrno(['ENOENT', 'EACCES'], [], () =>
      unlessErrno(['ENOTDIR'], null, () =>
        readdirSync(path.join(repository, ...ref.split('/')), { withFileTypes: true }),
      ),
    );
    if (entries === null) return false;
    for (const entry of entries) {
      const name = `${ref}/${entry.name}`;
      if (entry.isFile() && !name.endsWith('.lock')) files.push(name);
      if (files.length > MOST_REF_FILES || (entry.isDirectory() && !collect(name))) return false;
    }
    return true;
  };
  if (!['refs/heads', 'refs/tags'].every(collect)) return null;
  const loose = files.map((ref) => `${textOf(path.join(repository, ...ref.split('/')))} ${ref}`);
  const packed = (textOf(path.join(repository, 'packed-refs')) ?? '').split('\n');
  // A file wins over a line of the same name.
  const known = new Map(
    [...packed, ...loose].filter((line) => REF.test(line)).map((line) => [line.split(' ')[1], line]),
  );
  return [...known.values()].sort().join('\n');
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
