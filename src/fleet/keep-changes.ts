import path from 'node:path';
import { addCommit, changesIn, changesOf, commitChanges, writePatch } from '../sandbox/worktrees/changes.ts';
import type { Worktree } from '../sandbox/worktrees/worktree.ts';
import type { RunTaskOptions } from './run-options.ts';
import type { Task, TaskResult } from './task.ts';
import { isRemote } from './tasks/complete-task.ts';

type Kept = Partial<Pick<TaskResult, 'failure' | 'reason' | 'branch' | 'commit' | 'patch'>> & {
  filesChanged: number;
};

const TITLE_WIDTH = 72;

/** The changes of a task as a patch, and as a branch of the repository. */
export async function keepChanges(
  tree: Worktree,
  task: Task,
  options: Pick<RunTaskOptions, 'place' | 'fence' | 'publish' | 'onEvent'> & { session: string },
): Promise<Kept> {
  const { place, fence, publish, onEvent } = options;
  const changes = await changesOf(tree);
  if (changes.leftOut.length > 0)
    onEvent?.({ type: 'note', text: `Not in the patch: ${changes.leftOut.join(', ')}` });
  if (fence && !(await fence.isCurrent()))
    return { failure: 'fenced', reason: 'Another worker has taken this task over.', filesChanged: 0 };
  const { gitDir } = tree.origin;
  const branch = branchOf(place.batch, task);
  const patch = path.join(place.patches, `${task.id}.patch`);
  /** An earlier run may have been killed after it had published its changes: then those count. */
  const published = async (commit: string): Promise<Kept> => {
    const theirs = await changesIn(tree, commit);
    await writePatch(tree, theirs, patch);
    return { filesChanged: theirs.files.length, patch, branch, commit };
  };
  if (changes.files.length === 0) {
    const isRepeated = fence !== undefined && fence.token > 1 && gitDir !== null;
    const commit = isRepeated ? await publish?.({ gitDir, branch, commit: null }) : null;
    return commit ? published(commit) : { filesChanged: 0 };
  }
  await writePatch(tree, changes, patch);
  const kept = { filesChanged: changes.files.length, patch };
  const isShortLived = task.source.type === 'folder' || isRemote(task.source.repository);
  if (gitDir === null || place.changes === 'patch' || (isShortLived && !publish)) return kept;
  const delivery = fence ? `, delivery ${fence.token}` : '';
  const origin = `Task ${task.id} of batch ${place.batch}, session ${options.session}${delivery}.`;
  const message = commitMessage(task, origin);
  if (publish) {
    const { commit } = await addCommit(tree, changes, message);
    const there = (await publish({ gitDir, branch, commit })) ?? commit;
    return there === commit ? { ...kept, branch, commit } : published(there);
  }
  // There is one if an earlier run of this task was killed before its result was written.
  return { ...kept, branch, commit: await commitChanges(tree, changes, { branch, message, replace: true }) };
}

function branchOf(batch: string, { id }: Pick<Task, 'id'>): string {
  return `aca/${batch}/${id}`;
}

function commitMessage({ prompt }: Task, origin: string): string {
  const [first = ''] = prompt.trim().split('\n');
  const title = first.length > TITLE_WIDTH ? `${first.slice(0, TITLE_WIDTH - 1)}…` : first;
  return `${title}\n\n${origin}`;
}
