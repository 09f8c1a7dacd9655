import { UserError } from '../../contract/errors.ts';
import { findSource } from '../../sandbox/worktrees/origin.ts';
import type { Task } from '../task.ts';
import { isRemote } from './complete-task.ts';

/**
 * Tasks of a repository on this machine start from the commit that their ref is now, whatever is committed while the
 * batch runs. `problems` by task: a ref that does not exist, a folder that is not in a repository.
 */
export async function pinCommits(
  tasks: readonly Task[],
  env: NodeJS.ProcessEnv,
): Promise<{ tasks: Task[]; problems: Map<string, string> }> {
  const found = new Map<string, Promise<string | UserError>>();
  const problems = new Map<string, string>();
  const pinned: Task[] = [];
  for (const task of tasks) {
    const { source } = task;
    if (source.type === 'folder' || isRemote(source.repository)) {
      pinned.push(task);
      continue;
    }
    const { repository, ref } = source;
    const key = `${repository}\0${ref}`;
    const commit = found.get(key) ?? commitOf(repository, ref, env);
    found.set(key, commit);
    const id = await commit;
    if (typeof id === 'string') pinned.push({ ...task, source: { ...source, ref: id } });
    else problems.set(task.id, id.message);
  }
  return { tasks: pinned, problems };
}

async function commitOf(
  repository: string,
  ref: string,
  env: NodeJS.ProcessEnv,
): Promise<string | UserError> {
  try {
    const { commit } = await findSource(repository, { base: ref, env });
    return commit ?? new UserError(`${repository} has no commit ${ref}.`, 'Check the name.');
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
