import { homedir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { shownPath } from '../../lib/paths/shown-path.ts';
import { sha256 } from '../../lib/sha256.ts';
import { counted } from '../../lib/text/counted.ts';
import { diffOf, type LineDiff } from '../../lib/text/diff-lines.ts';
import { sentence } from '../../lib/text/sentence.ts';
import { applyMerge } from '../../sandbox/worktrees/apply-merge.ts';
import {
  changesOf,
  commitChanges,
  type WorktreeChanges,
  writePatch,
} from '../../sandbox/worktrees/changes.ts';
import { type MergePlan, type MergeStep, planMerge } from '../../sandbox/worktrees/plan-merge.ts';
import { removeWithFolder } from '../../sandbox/worktrees/remove.ts';
import type { Worktree } from '../../sandbox/worktrees/worktree.ts';
import { askWrites } from '../safety/ask-writes.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { MergeRequest } from './isolation.ts';

export type MergeDeps = { cwd: string; safety: Safety };

const MAX_LISTED = 20;
const MAX_DIFFS = 50;
const MAX_DIFF_BYTES = 200_000;

/**
 * Merges the changes in a worktree into the project, if the user agrees as the mode requires for edits; or else
 * keeps them. Then removes the worktree. Says what became of the changes.
 */
export async function mergeBack(request: MergeRequest, deps: MergeDeps): Promise<string> {
  const { worktree } = request;
  const changes = await changesOf(worktree);
  const isEmpty = changes.files.length === 0;
  const result = isEmpty ? 'It changed no files.' : await merged(request, changes, deps);
  if (changes.leftOut.length === 0) {
    await removeWithFolder(worktree);
    return result;
  }
  worktree.lock.release();
  return `${result} Git cannot record ${listed(changes.leftOut)}; see ${worktree.folder}.`;
}

/** For a subagent that did not finish: its worktree stays if it holds changes. */
export async function keepUnfinished(worktree: Worktree): Promise<string> {
  const { files, leftOut } = await changesOf(worktree);
  if (files.length === 0 && leftOut.length === 0) {
    await removeWithFolder(worktree);
    return 'It changed no files.';
  }
  worktree.lock.release();
  return `Nothing was merged. Its changes so far are in ${worktree.folder}; continue it to complete and merge them.`;
}

async function merged(request: MergeRequest, changes: WorktreeChanges, deps: MergeDeps): Promise<string> {
  const { worktree } = request;
  const root = worktree.origin.root ?? deps.cwd;
  const plan = await planMerge(worktree, changes, root);
  const refused =
    plan.conflicts.length > 0 ? conflictsOf(plan) : await apply(plan.steps, root, { request, deps });
  const names = changes.files.map((file) => file.path);
  if (refused === null) return `Merged ${counted(names.length, 'file')} into ${root}: ${listed(names)}.`;
  return `Nothing was merged: ${refused} ${await keep(request, changes)}`;
}

/** Null if the changes were made; else why not. */
async function apply(
  steps: readonly MergeStep[],
  root: string,
  { request, deps }: { request: MergeRequest; deps: MergeDeps },
): Promise<string | null> {
  const { guard, capabilities, judge } = deps.safety;
  const { label, limits, reporter, signal } = request;
  const shown = (step: MergeStep) =>
    shownPath(path.join(root, step.path), { cwd: deps.cwd, home: homedir() });
  const accesses = steps.map((step) => ({
    kind: 'write' as const,
    target: shown(step),
    itself: true as const,
  }));
  const perform = () =>
    capabilities.inTurn(accesses, signal, () =>
      applyMerge(steps, {
        root,
        files: capabilities.files,
        guard,
        onBeforeWrite: capabilities.onBeforeWrite,
      }),
    );
  try {
    const { verdict, because } = await askWrites(
      {
        callId: `${reporter.callId}:merge`,
        tool: 'Write',
        operation: `Merge the changes of ${label}: ${listed(steps.map(shown))}`,
        accesses,
        agent: label,
        input: {
          files: steps.map((step) => ({ path: shown(step), sha256: sha256(step.after?.bytes ?? '') })),
        },
        diffs: await diffsOf(steps, shown),
      },
      {
        decide: (asked, options) => judge.decide(limits ? { ...asked, limits } : asked, options),
        emit: reporter.emit,
        signal,
        perform,
      },
    );
    return verdict === 'allow' ? null : sentence(because);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return sentence(error.message);
  }
}

/** On a branch of the repository, or as a patch beside it. Says where. */
async function keep({ worktree, task, label }: MergeRequest, changes: WorktreeChanges): Promise<string> {
  if (worktree.origin.gitDir === null) {
    const file = `${worktree.at}.patch`;
    await writePatch(worktree, changes, file);
    return `Its changes are kept in ${file}; \`git apply ${file}\` makes them.`;
  }
  const branch = await commitToNewBranch(worktree, changes, `${task}\n\nBy the subagent ${label}.`);
  return `Its changes are kept on the branch ${branch}; \`git cherry-pick ${branch}\` makes them.`;
}

async function commitToNewBranch(
  worktree: Worktree,
  changes: WorktreeChanges,
  message: string,
): Promise<string> {
  const first = `aca/${path.basename(worktree.at)}`;
  for (let number = 1; ; number += 1) {
    const branch = number === 1 ? first : `${first}-${number}`;
    try {
      await commitChanges(worktree, changes, { branch, message });
      return branch;
    } catch (error) {
      if (!(error instanceof UserError && error.message.endsWith('already exists.'))) throw error;
    }
  }
}

function conflictsOf({ conflicts }: MergePlan): string {
  const lines = conflicts.slice(0, MAX_LISTED).map(({ path: file, because }) => `${file} (${because})`);
  return `conflicts in ${listed(lines)}.`;
}

async function diffsOf(steps: readonly MergeStep[], shown: (step: MergeStep) => string): Promise<LineDiff[]> {
  const diffs: LineDiff[] = [];
  for (const step of steps.slice(0, MAX_DIFFS)) {
    const texts = [step.before, step.after].map((content) => textOf(content));
    if (texts.some((text) => text === undefined)) continue;
    diffs.push(await diffOf(shown(step), texts[0] ?? null, texts[1] ?? ''));
  }
  return diffs;
}

/** Undefined if it is not text to show. */
function textOf(content: MergeStep['before']): string | null | undefined {
  if (content === null) return null;
  if (content.type === 'link') return `link to ${content.bytes.toString('utf8')}\n`;
  return content.bytes.includes(0) || content.bytes.length > MAX_DIFF_BYTES
    ? undefined
    : content.bytes.toString('utf8');
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
