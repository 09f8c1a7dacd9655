import path from 'node:path';
import {
  addCommit,
  changesIn,
  changesOf,
  commitChanges,
  type WorktreeChanges,
  writePatch,
} from '../sandbox/worktrees/changes.ts';
import type { Worktree } from '../sandbox/worktrees/worktree.ts';
import { isExpected, reasonOf } from './expected-errors.ts';
import type { RunTaskOptions } from './run-options.ts';
import type { Task, TaskResult } from './task.ts';
import { isRemote } from './tasks/complete-task.ts';

type Kept = Partial<
  Pick<TaskResult, 'failure' | 'reason' | 'branch' | 'commit' | 'patch' | 'leftOut' | 'worktree'>
> & { filesChanged: number };

type KeepOptions = Pick<RunTaskOptions, 'place' | 'fence' | 'publish' | 'signal' | 'onEvent'> & {
  session: string;
};

const TITLE_WIDTH = 72;

/**
 * The changes of a task as a patch, and as a branch of the repository. If that fails, or git cannot record all of them,
 * the result names the worktree, which has to stay.
 */
export async function keepChanges(tree: Worktree, task: Task, options: KeepOptions): Promise<Kept> {
  const kept: Kept = { filesChanged: 0 };
  try {
    await keep(tree, task, { ...options, kept });
  } catch (error) {
    // Another worker has it, or it goes on later.
    if (!isExpected(error) || options.signal.aborted) throw error;
    Object.assign(kept, { failure: 'changes', reason: reasonOf(error) });
  }
  const isLost = kept.failure === 'changes' || kept.leftOut !== undefined;
  return { ...kept, ...(isLost && { worktree: tree.folder }) };
}

/** Fills `kept` step by step: what is done stays done if the next step fails. */
async function keep(
  tree: Worktree,
  task: Task,
  { place, fence, publish, onEvent, session, kept }: KeepOptions & { kept: Kept },
): Promise<void> {
  const changes = await changesOf(tree);
  if (fence && !(await fence.isCurrent())) {
    Object.assign(kept, { failure: 'fenced', reason: 'Another worker has taken this task over.' });
    return;
  }
  if (changes.leftOut.length > 0) {
    kept.leftOut = [...changes.leftOut];
    onEvent?.({ type: 'note', text: `Not in the patch: ${changes.leftOut.join(', ')}` });
  }
  const { gitDir } = tree.origin;
  const branch = branchOf(place.batch, task);
  const patch = path.join(place.patches, `${task.id}.patch`);
  const write = async (written: WorktreeChanges) => {
    kept.filesChanged = written.files.length;
    await writePatch(tree, written, patch);
    kept.patch = patch;
  };
  /** An earlier run may have been killed after it had published its changes: then those count. */
  const published = async (commit: string) => {
    await write(await changesIn(tree, commit));
    Object.assign(kept, { branch, commit });
  };
  if (changes.files.length === 0) {
    const isRepeated = fence !== undefined && fence.token > 1 && gitDir !== null;
    const commit = isRepeated ? await publish?.({ gitDir, branch, commit: null }) : null;
    if (commit) await published(commit);
    return;
  }
  await write(changes);
  const isShortLived = task.source.type === 'folder' || isRemote(task.source.repository);
  if (gitDir === null || place.changes === 'patch' || (isShortLived && !publish)) return;
  const delivery = fence ? `, delivery ${fence.token}` : '';
  const message = commitMessage(
    task,
    `Task ${task.id} of batch ${place.batch}, session ${session}${delivery}.`,
  );
  if (publish) {
    const { commit } = await addCommit(tree, changes, message);
    const there = (await publish({ gitDir, branch, commit })) ?? commit;
    if (there !== commit) return published(there);
    Object.assign(kept, { branch, commit });
    return;
  }
  // There is one if an earlier run of this task was killed before its result was written.
  const commit = await commitChanges(tree, changes, { branch, message, replace: true });
  Object.assign(kept, { branch, commit });
}

function branchOf(batch: string, { id }: Pick<Task, 'id'>): string {
  return `aca/${batch}/${id}`;
}

function commitMessage({ prompt }: Task, origin: string): string {
  const [first = ''] = prompt.trim().split('\n');
  const title = first.length > TITLE_WIDTH ? `${first.slice(0, TITLE_WIDTH - 1)}…` : first;
  return `${title}\n\n${origin}`;
}
