import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { homeFolder } from '../lib/files/data-root.ts';
import { isErrno } from '../lib/files/errno.ts';
import { lockFile } from '../lib/files/lock.ts';
import { repositoryRoot } from '../lib/paths/repository-root.ts';
import { sha256 } from '../lib/sha256.ts';
import { fetchRepository } from '../sandbox/fetch-repository.ts';
import { createWorktree } from '../sandbox/worktrees/create.ts';
import { findSource, type Source } from '../sandbox/worktrees/origin.ts';
import { removeWorktree } from '../sandbox/worktrees/remove.ts';
import { openWorktree, placesIn, type Worktree } from '../sandbox/worktrees/worktree.ts';
import type { RunTaskOptions, TaskPlace } from './run-options.ts';
import type { Task, TaskSource } from './task.ts';
import { isRemote } from './tasks/complete-task.ts';

/** How long to wait for the clone of another task of the same repository. */
const CLONE_MS = 600_000;

/** The worktree of a task: the one that an interrupted run left, or a new one. */
export async function openTree(
  task: Task,
  { place, session, signal }: Pick<RunTaskOptions, 'place' | 'session' | 'signal'>,
): Promise<{ tree: Worktree; isNew: boolean }> {
  const at = path.join(treesFolder(task.source, place), `${place.batch}-${task.id}`);
  if (existsSync(at)) {
    const found = await reopen(at, place.env);
    if (found && session.resume) return { tree: found, isNew: false };
    // Made by a run that was killed, and no longer of use.
    if (found) removeWorktree(found);
  }
  return { tree: await makeTree(task.source, { place, at, signal }), isNew: true };
}

async function makeTree(
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
    return await createWorktree({ ...made, repository });
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
  const known = sources.get(key) ?? findSource(repository, { base, env });
  sources.set(key, known);
  return known;
}

/** Null if it is not complete: then it is removed. */
async function reopen(at: string, env: NodeJS.ProcessEnv): Promise<Worktree | null> {
  const lock = await lockFile(placesIn(at).owner);
  if (!lock) throw new UserError(`${at} is in use by another process.`, 'Wait until it is done.');
  const tree = openWorktree(at, { env, lock });
  if (tree && existsSync(tree.cwd)) return tree;
  removeWorktree({ at, lock });
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
  if (!lock) throw new UserError(`Another process is fetching ${repository}.`, 'Try again later.');
  try {
    // It is removed if fetching fails.
    if (!existsSync(path.join(into, '.git', 'HEAD')))
      await fetchRepository({ url: repository, ref }, { into, env: place.env, signal });
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
