import { UserError } from '../../contract/errors.ts';
import { renameWithRetry } from '../../lib/files/rename-with-retry.ts';
import { lockWorktree, openWorktree, type Worktree } from './worktree.ts';

/** Moves it to another place on the same disk. Its lock names its place, so it is released and taken again. */
export async function moveWorktree({ at, env, lock }: Worktree, to: string): Promise<Worktree> {
  lock.release();
  await renameWithRetry(at, to);
  const taken = await lockWorktree(to);
  const moved = taken && openWorktree(to, { env, lock: taken });
  if (moved) return moved;
  taken?.release();
  throw new UserError(`${to} is in use by another process.`, 'Wait until it is done.');
}
