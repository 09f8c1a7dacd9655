import { UserError } from '../../contract/errors.ts';
import { withoutPasswords } from '../../lib/text/url-password.ts';
import { commitAt } from '../../sandbox/remote-commit.ts';
import { findSource } from '../../sandbox/worktrees/origin.ts';
import type { Task, TaskSource } from '../task.ts';
import { isRemote } from './complete-task.ts';

type RepositorySource = Extract<TaskSource, { type: 'repository' }>;

/** So many repositories are asked at a time. */
const AT_ONCE = 8;

/** A commit; or why there is none. `unreachable`: this machine cannot say, but another one may. */
type Found = { commit: string } | { problem: string } | { unreachable: string };

/** Whether it is the whole id of one. */
export const isCommit = (ref: string): boolean => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(ref);

/**
 * Tasks start from the commit that their ref is now, whatever is committed while the batch runs, and wherever they run.
 * `problems` by task: a ref that does not exist, a folder that is not in a repository. `notes`: repositories that cannot
 * be asked from here, whose tasks keep their ref.
 */
export async function pinCommits(
  tasks: readonly Task[],
  env: NodeJS.ProcessEnv,
): Promise<{ tasks: Task[]; problems: Map<string, string>; notes: string[] }> {
  const keyOf = ({ repository, ref }: RepositorySource) => `${repository}\0${ref}`;
  const sources = tasks.flatMap(({ source }) => (source.type === 'repository' ? [source] : []));
  const distinct = [...new Map(sources.map((source) => [keyOf(source), source])).values()];
  const found = new Map<string, Found>();
  for (let at = 0; at < distinct.length; at += AT_ONCE) {
    const some = distinct.slice(at, at + AT_ONCE);
    await Promise.all(some.map(async (one) => found.set(keyOf(one), await commitOf(one, env))));
  }
  const problems = new Map<string, string>();
  const notes = new Set<string>();
  const pinned = tasks.map((task) => {
    const { source } = task;
    const known = source.type === 'folder' ? undefined : found.get(keyOf(source));
    if (source.type === 'folder' || !known) return task;
    if ('commit' in known) return { ...task, source: { ...source, ref: known.commit } };
    if ('problem' in known) problems.set(task.id, known.problem);
    else notes.add(`${known.unreachable} Its tasks start from what ${source.ref} is when they are fetched.`);
    return task;
  });
  return { tasks: pinned, problems, notes: [...notes] };
}

async function commitOf({ repository, ref }: RepositorySource, env: NodeJS.ProcessEnv): Promise<Found> {
  try {
    if (!isRemote(repository)) {
      const { commit } = await findSource(repository, { base: ref, env });
      return commit ? { commit } : { problem: `${repository} has no commit ${ref}.` };
    }
    const commit = isCommit(ref) ? ref : await commitAt({ url: repository, ref }, env);
    return commit ? { commit } : { problem: `${withoutPasswords(repository)} has no branch or tag ${ref}.` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return isRemote(repository)
      ? { unreachable: error.message }
      : { problem: `${error.message} ${error.hint}` };
  }
}
