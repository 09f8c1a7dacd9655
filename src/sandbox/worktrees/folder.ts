import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { repositoryRoot } from '../../lib/paths/repository-root.ts';

/**
 * Where the worktrees of subagents are: beside the repository, like those of `--worktree`, or in the cache of
 * the user if nothing can be created there.
 */
export function worktreesFolder(cwd: string): string {
  const root = repositoryRoot(cwd);
  const beside = `${root}.worktrees`;
  const parent = existsSync(beside) ? beside : path.dirname(root);
  const isWritable = unlessErrno('any', false, () => {
    accessSync(parent, constants.W_OK);
    return true;
  });
  return isWritable ? beside : path.join(homedir(), '.cache', 'aca', 'worktrees', path.basename(root));
}

/** A folder for a new one. */
export function newWorktree(cwd: string, id: string): string {
  const first = path.join(worktreesFolder(cwd), `agent-${id}`);
  for (let number = 1; ; number += 1) {
    const at = number === 1 ? first : `${first}-${number}`;
    if (!existsSync(at)) return at;
  }
}
