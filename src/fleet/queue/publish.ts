import { pause } from '../../lib/async/abort.ts';
import { fetchBranch, pushBranch, remoteCommit } from '../../sandbox/push-branch.ts';
import { branchCommit, moveBranch } from '../../sandbox/worktrees/branch.ts';
import type { Publish } from '../run-options.ts';
import { isRemote } from '../tasks/complete-task.ts';
import { type Fleet, fleetKeys } from './fleet.ts';

/** The run is done and paid for: a server that does not answer for a moment is tried again. */
const WAITS_MS = [1_000, 5_000];

/**
 * Sets the branch of a task at most once, however many workers try: all deliveries expect the same old commit there,
 * and only the first finds it. There is none, unless the task was ended and queued again.
 */
export function publishTo(
  repository: string,
  {
    fleet: { redis },
    job,
    env,
    signal,
  }: { fleet: Fleet; job: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Publish {
  const publish: Publish = async ({ gitDir, branch, commit }) => {
    const remote = { gitDir, url: repository, branch, env };
    const current = () => (isRemote(repository) ? remoteCommit(remote) : branchCommit(remote));
    const key = fleetKeys.task(job);
    if ((await redis.hexists(key, 'again')) === 1) await redis.hsetnx(key, 'replaces', await current());
    const replaces = (await redis.hget(key, 'replaces')) ?? '';
    const there =
      commit === null
        ? await current()
        : await (isRemote(repository) ? pushBranch : moveBranch)(remote, { commit, replaces });
    if (there === commit) return commit;
    if (there === replaces) return null;
    // Its changes are what counts.
    if (isRemote(repository)) await fetchBranch(remote);
    return there;
  };
  return async (branch) => {
    for (const waitMs of WAITS_MS) {
      try {
        return await publish(branch);
      } catch (error) {
        if (signal.aborted) throw error;
        await pause(waitMs, signal);
      }
    }
    return publish(branch);
  };
}
