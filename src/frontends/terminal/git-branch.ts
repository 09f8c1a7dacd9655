import path from 'node:path';
import { readRegularText } from '../../lib/files/regular-file.ts';

/** The current branch, a short commit if detached, or null outside a repository. */
export async function gitBranch(cwd: string): Promise<string | null> {
  const folder = await gitFolder(cwd);
  if (folder === null) return null;
  const head = await textOf(path.join(folder, 'HEAD'));
  if (head === null) return null;
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch ?? (/^[0-9a-f]{7,}$/.test(head) ? head.slice(0, 7) : null);
}

/** In a worktree or submodule, `.git` is a file that refers to the folder. */
async function gitFolder(folder: string): Promise<string | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const here = path.join(at, '.git');
    if ((await textOf(path.join(here, 'HEAD'))) !== null) return here;
    const elsewhere = /^gitdir: (.+)$/.exec((await textOf(here)) ?? '')?.[1];
    if (elsewhere !== undefined) return path.resolve(at, elsewhere);
    if (path.dirname(at) === at) return null;
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    return readRegularText(file).trim();
  } catch {
    // Missing or unreadable: not a repository.
    return null;
  }
}
