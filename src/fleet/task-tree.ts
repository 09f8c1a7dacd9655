import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { homeFolder } from '../lib/files/data-root.ts';
import { isErrno } from '../lib/files/errno.ts';
import { lockFile } from '../lib/files/lock.ts';
import { repositoryRoot } from '../lib/paths/repository-root.ts';
import { sha256 } from '../lib/sha256.ts';
import { withoutPasswords } from '../lib/text/url-password.ts';
import { fetchRepository } from '../sandbox/fetch-repository.ts';
import { createWorktree } from '../sandbox/worktrees/create.ts';
import { moveWorktree } from '../sandbox/worktrees/move.ts';
import { findSource, type Source } from '../sandbox/worktrees/origin.ts';
import { removeWorktree } from '../sandbox/worktrees/remove.ts';
import { lockWorktree, openWorktree, type Worktree } from '../sandbox/worktrees/worktree.ts';
import type { OpenedTree, RunTaskOptions, TaskPlace } from './run-options.ts';
import type { Task, TaskSource } from './task.ts';
import { isRemote } from './tasks/complete-task.ts';
import { isCommit } from './tasks/pin-commits.ts';

/** How long to wait for the clone of another task of the same repository. */
const CLONE_MS = 600_000;

/** The worktree of a task: the one that an interrupted run left, or a new one. */
export async function openTree(
  task: Task,
  options: Pick<RunTaskOptions, 'place' | 'session' | 'signal' | 'fence' | 'takeSpare'>,
): Promise<OpenedTree> {
  const { place, session, signal, fence } = options;
  const [usual, other] = treePlaces(task, place, fence?.token);
  const found = await reopen(usual, place.env);
  if (found === 'in use' && other === undefined)
    throw new UserError(`${usual} is in use by another process.`, 'Wait until it is done.');
  if (typeof found === 'object' && found && session.resume) return { tree: found, isNew: false };
  // Made by a run that was killed, and no longer of use.
  if (typeof found === 'object' && found) await removeWorktree(found);
  const at = found === 'in use' && other !== undefined ? other : usual;
  const spare = await options.takeSpare?.(task.source);
  const tree = spare ? await moveWorktree(spare, at) : await makeTree(task.source, { place, at, signal });
  return { tree, isNew: true };
}

/** Where its worktree is; with a fence, also where it is while an earlier worker that stalled is still in the first. */
export function treePlaces(
  { id, source }: Pick<Task, 'id' | 'source'>,
  place: Pick<TaskPlace, 'batch' | 'trees' | 'env'>,
  fence?: number,
): [usual: string, ...other: string[]] {
  const usual = path.join(treesFolder(source, place), `${place.batch}-${id}`);
  return fence === undefined ? [usual] : [usual, `${usual}.${fence}`];
}

export async function makeTree(
  source: TaskSource,
  { place, at, signal }: { place: TaskPlace; at: string; signal: AbortSignal },
): Promise<Worktree> {
  const made = { at, env: place.env, signal };
  try {
    if (source.type === 'folder')
      return await createWorktree({ ...made, repository: source.folder, uncommitted: true });
    if (!isRemote(source.repository)) {
      const { repository, ref: base } = source;
      return await createWorktree({
        ...made,
        repository,
        source: await foundSource(repository, base, place),
      });
    }
    const repository = await cloneOf(source, place, signal);
    return await createWorktree({
      ...made,
      repository,
      source: await foundSource(repository, 'HEAD', place),
    });
  } catch (error) {
    if (!isErrno(error, ['EACCES', 'EPERM', 'EROFS'])) throw error;
    throw new UserError(
      `Cannot create a worktree in ${path.dirname(at)} (${error.code}).`,
      'Name another folder with --trees.',
      { cause: error },
    );
  }
}

/** Git is asked once for all tasks of a commit. */
function foundSource(repository: string, base: string, { sources, env }: TaskPlace): Promise<Source> {
  const key = `${repository}\0${base}`;
  const known = sources.get(key);
  if (known) return known;
  const found = findSource(repository, { base, env });
  sources.set(key, found);
  // Another task may have more luck.
  found.catch(() => sources.delete(key));
  return found;
}

/** Null if there is none. One that is not complete is removed. */
async function reopen(at: string, env: NodeJS.ProcessEnv): Promise<Worktree | 'in use' | null> {
  if (!existsSync(at)) return null;
  const lock = await lockWorktree(at);
  // Its owner may have removed it just now.
  if (!lock) return existsSync(at) ? 'in use' : null;
  const tree = openWorktree(at, { env, lock });
  if (tree && existsSync(tree.cwd)) return tree;
  await removeWorktree({ at, lock });
  return null;
}

/**
 * Worktrees are made beside the repository: programs find the same things around them, and our data root is
 * closed to the model.
 */
export function treesFolder(source: TaskSource, { trees, env }: Pick<TaskPlace, 'trees' | 'env'>): string {
  if (trees !== undefined) return trees;
  const original = source.type === 'folder' ? source.folder : source.repository;
  if (isRemote(original)) return path.join(cacheFolder(env), 'worktrees');
  const top = existsSync(original) ? (repositoryRoot(realpathSync(original)) ?? original) : original;
  return path.join(path.dirname(top), `${path.basename(top)}.worktrees`);
}

/** The commit that a URL and ref name, fetched once for the batch. */
async function cloneOf(
  { repository, ref }: Extract<TaskSource, { type: 'repository' }>,
  place: TaskPlace,
  signal: AbortSignal,
): Promise<string> {
  const into = path.join(clonesFolder(place), sha256(`${repository}\0${ref}`).slice(0, 16));
  const lock = await lockFile(into, { maxWaitMs: CLONE_MS, signal });
  if (!lock)
    throw new UserError(`Another process is fetching ${withoutPasswords(repository)}.`, 'Try again later.');
  try {
    if (existsSync(into)) return into;
    // A process that is killed while it fetches leaves a part.
    const part = `${into}.part`;
    rmSync(part, { recursive: true, force: true });
    const commit = isCommit(ref) ? { sha: ref } : { ref };
    await fetchRepository({ url: repository, ...commit }, { into: part, env: place.env, signal });
    renameSync(part, into);
    return into;
  } finally {
    lock.release();
  }
}

/** Repositories that were fetched for a batch; removed when it is done. */
export function clonesFolder({ batch, trees, env }: Pick<TaskPlace, 'batch' | 'trees' | 'env'>): string {
  return path.join(trees ?? cacheFolder(env), 'repositories', batch);
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  return path.join(env.XDG_CACHE_HOME || path.join(homeFolder(env), '.cache'), 'aca');
}
