import path from 'node:path';
import { changesOf, commitChanges, writePatch } from '../sandbox/worktrees/changes.ts';
import { gitAnswer } from '../sandbox/worktrees/hardened-git.ts';
import { inRepository } from '../sandbox/worktrees/origin.ts';
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
  if (changes.files.length === 0) return { filesChanged: 0 };
  if (fence && !(await fence.isCurrent()))
    return { failure: 'fenced', reason: 'Another worker has taken this task over.', filesChanged: 0 };
  const patch = path.join(place.patches, `${task.id}.patch`);
  await writePatch(tree, changes, patch);
  const kept = { filesChanged: changes.files.length, patch };
  const { gitDir } = tree.origin;
  const isShortLived = task.source.type === 'folder' || isRemote(task.source.repository);
  if (gitDir === null || place.changes === 'patch' || (isShortLived && !publish)) return kept;
  const branch = branchOf(place.batch, task);
  // From a run of this task that was killed before its result was written.
  const replaces = await gitAnswer(inRepository(gitDir, place.env), [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}`,
  ]);
  const message = commitMessage(task, place.batch, options.session);
  const commit = await commitChanges(tree, changes, {
    branch,
    message,
    ...(replaces !== null && { replaces }),
  });
  const published = await publish?.({ gitDir, branch, commit, base: tree.base });
  return { ...kept, branch, commit: published ?? commit };
}

function branchOf(batch: string, { id }: Pick<Task, 'id'>): string {
  return `aca/${batch}/${id}`;
}

function commitMessage({ prompt, id }: Task, batch: string, session: string): string {
  const [first = ''] = prompt.trim().split('\n');
  const title = first.length > TITLE_WIDTH ? `${first.slice(0, TITLE_WIDTH - 1)}…` : first;
  return `${title}\n\nTask ${id} of batch ${batch}, session ${session}.`;
}
