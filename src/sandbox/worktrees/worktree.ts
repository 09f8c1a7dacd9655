import { rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { unlessErrno } from '../../lib/files/errno.ts';
import { type Lock, lockFile } from '../../lib/files/lock.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { replaceFile } from '../../lib/files/replace-file.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { Variables } from './hardened-git.ts';

/** Where a worktree comes from. */
const origin = z.object({
  /** The folder whose files it has: the top of the repository, or the folder itself; null for a bare one. */
  root: z.string().nullable(),
  /** The git folder, shared by all worktrees of the repository; null without a repository or a commit. */
  gitDir: z.string().nullable(),
});

const description = z.object({
  origin,
  /** The commit it started from; null while it is being made. */
  base: z.string().nullable(),
  /** The folder in the worktree that corresponds to the folder it was asked for, from the top. */
  within: z.string(),
  /** Ignored folders that are links to the originals. */
  links: z.array(z.string()),
  /** Submodules: their folders are empty. `isPresent`: not left out by a sparse checkout. */
  modules: z.array(z.object({ path: z.string(), id: z.string(), isPresent: z.boolean() })),
  createdAt: z.string(),
});

export type Origin = z.infer<typeof origin>;
export type Description = z.infer<typeof description>;
export type Module = Description['modules'][number];

/**
 * A second copy of the files of a repository or folder, with a git folder of its own. It shares the objects of
 * the repository and nothing else: branches, settings and hooks of the one are not those of the other, so what
 * happens in it cannot change the repository. `at` contains it, and beside it our own record of it, which
 * those who work in it must not write.
 */
export type Worktree = {
  at: string;
  /** Its top. */
  folder: string;
  /** The same place in it as the folder that was asked for. */
  cwd: string;
  base: string;
  origin: Origin;
  links: readonly string[];
  modules: readonly Module[];
  /** For git: the user's own settings. */
  env: Variables;
  /** Held by the process that uses it. */
  lock: Lock;
};

/** Null if another process uses it, or it has been removed. */
export function lockWorktree(at: string): Promise<Lock | null> {
  return lockFile(placesIn(at).owner, { inExisting: true });
}

export const placesIn = (at: string) => ({
  tree: path.join(at, 'tree'),
  /** Our own git folder for it. */
  record: path.join(at, 'record'),
  description: path.join(at, 'worktree.json'),
  /** Locked by the process that uses it. */
  owner: path.join(at, 'owner'),
});

/** Git for its files by our own record of them, never by the git folder in it. */
export function recordOf({ at, folder, env }: Pick<Worktree, 'at' | 'folder' | 'env'>) {
  const { record } = placesIn(at);
  return { cwd: folder, env, gitDir: record, workTree: folder, index: path.join(record, 'index') };
}

export function describeWorktree(at: string, text: Description): void {
  replaceFile(placesIn(at).description, Buffer.from(`${JSON.stringify(text)}\n`), 0o600);
}

/** Null if it is not a worktree of ours. */
export function readDescription(at: string): Description | null {
  const parsed = description.safeParse(parseJson(textIfAny(placesIn(at).description) ?? ''));
  return parsed.success ? parsed.data : null;
}

/** Takes over a worktree whose owner has ended; null if it has not, or there is no complete one. */
export async function claimWorktree(at: string, env: Variables): Promise<Worktree | null> {
  const lock = readDescription(at) && (await lockWorktree(at));
  const worktree = lock && openWorktree(at, { env, lock });
  if (!worktree) lock?.release();
  return worktree;
}

/** The worktree in a folder that another process made; null if there is none, or it is incomplete. */
export function openWorktree(at: string, owned: Pick<Worktree, 'env' | 'lock'>): Worktree | null {
  const found = readDescription(at);
  // A git that was killed in it would block all others: its owner has ended.
  rmSync(path.join(placesIn(at).record, 'index.lock'), { force: true });
  return found && worktreeAt(at, found, owned);
}

export function worktreeAt(
  at: string,
  { base, within, origin, links, modules }: Description,
  owned: Pick<Worktree, 'env' | 'lock'>,
): Worktree | null {
  if (base === null) return null;
  const folder = placesIn(at).tree;
  return { at, folder, cwd: path.join(folder, within), base, origin, links, modules, ...owned };
}

function textIfAny(file: string): string | null {
  return unlessErrno(['ENOENT', 'ENOTDIR'], null, () => readRegularText(file));
}
