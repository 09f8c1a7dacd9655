import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fenceVariable, verbosityVariable } from '../config/environment.ts';
import { following } from '../lib/async/abort.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { isErrno } from '../lib/files/errno.ts';
import { Ledger } from '../observability/spending/ledger.ts';
import { runKept } from '../sandbox/shell/kept-program.ts';
import { removeWorktree } from '../sandbox/worktrees/remove.ts';
import type { Worktree } from '../sandbox/worktrees/worktree.ts';
import { childArguments, type Outcome, reportIn, resultOf, type Started } from './child-run.ts';
import { isExpected, reasonOf } from './expected-errors.ts';
import { keepChanges } from './keep-changes.ts';
import type { RunTaskOptions } from './run-options.ts';
import { isOpen, type Task, type TaskResult } from './task.ts';
import { openTree, treePlaces } from './task-tree.ts';

const MINUTE_MS = 60_000;
/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs one task in a worktree of its own, as a headless run in a child process, and keeps its changes as a
 * branch and a patch. Never rejects for what goes wrong with the task: that is its result.
 */
export async function runTask(task: Task, options: RunTaskOptions): Promise<TaskResult> {
  const { before, session } = options;
  const started: Started = {
    at: before ? new Date(before.startedAt) : new Date(),
    clock: performance.now() - (before?.durationMs ?? 0),
    session: session.id,
  };
  let tree: Worktree | undefined;
  let result: TaskResult | undefined;
  try {
    const opened = await (options.opened ?? openTree(task, options));
    tree = opened.tree;
    const isKnown = hasSession(started.session, options.place.env);
    // What an earlier run said is not true of a new worktree.
    if (opened.isNew && isKnown)
      Object.assign(started, { at: new Date(), clock: performance.now(), session: randomUUID() });
    result = await runIn(tree, task, { ...options, started, isResumed: isKnown && !opened.isNew });
  } catch (error) {
    if (!options.signal.aborted && !isExpected(error)) throw error;
    const why = options.signal.aborted ? interrupted : setupFailure(error as Error);
    const at = session.resume ? leftTree(task, options) : null;
    const spent = spentBy(started.session, options.place.env);
    result = resultOf(task, started, { ...why, ...spent, ...(at !== null && { worktree: at }) });
  } finally {
    if (result && !isOpen(result)) await options.onResult?.(result);
    // The task goes on in it, or its files are nowhere else.
    if (tree && result && (isOpen(result) || result.worktree !== undefined)) tree.lock.release();
    else if (tree) await removeTree(tree, options);
  }
  return result;
}

const interrupted = { failure: 'interrupted', reason: 'Interrupted.' } as const;
const setupFailure = (error: Error) => ({ failure: 'setup', reason: reasonOf(error) }) as const;

async function runIn(
  tree: Worktree,
  task: Task,
  options: RunTaskOptions & { started: Started; isResumed: boolean },
): Promise<TaskResult> {
  const { place, signal, started, isResumed, onEvent } = options;
  onEvent?.({ type: 'started', tree: tree.cwd, session: started.session });
  const timer = following(signal);
  const timeoutMs = task.timeout && Math.min(task.timeout * MINUTE_MS, LONGEST_TIMER_MS);
  const timeout = timeoutMs && setTimeout(() => timer.abort(), timeoutMs);
  try {
    const { input, args } = childArguments(task, { ...started, isResumed, trust: place.trust ?? false });
    const ended = await runKept({
      command: [...place.program, ...args],
      cwd: tree.cwd,
      env: {
        ...place.env,
        // Warnings, and nothing of its progress.
        [verbosityVariable]: 'normal',
        ...options.budget,
        ...(options.fence && { [fenceVariable]: String(options.fence.token) }),
      },
      input,
      signal: timer.signal,
      keeper: place.keeper,
    });
    if (signal.aborted)
      return resultOf(task, started, { ...interrupted, ...spentBy(started.session, place.env) });
    const { warnings, ...outcome } = reportIn(ended);
    // The same warning of several tasks is the same text.
    for (const text of warnings) onEvent?.({ type: 'note', text: text.replaceAll(tree.folder, '.') });
    if (timer.signal.aborted)
      Object.assign(outcome, { failure: 'timeout', reason: `Stopped after ${task.timeout} minutes.` });
    // Its report is about the last part only, or there is none.
    if (isResumed || outcome.costUsd === undefined)
      Object.assign(outcome, spentBy(started.session, place.env));
    if (isOpen(outcome)) return resultOf(task, started, outcome);
    if (outcome.failure && options.willRetry?.(outcome.failure)) return resultOf(task, started, outcome);
    if (!outcome.failure) options.onDelivery?.();
    const kept = await keepChanges(tree, task, { ...options, session: started.session });
    return resultOf(task, started, { ...outcome, ...kept, ...bothFailures(outcome, kept) });
  } finally {
    clearTimeout(timeout);
    timer.stop();
  }
}

/** A run that failed is not run again only because its changes could not be kept, either. */
function bothFailures(outcome: Outcome, kept: Outcome): Outcome {
  if (!outcome.failure || kept.failure !== 'changes') return {};
  return { failure: outcome.failure, reason: [outcome.reason, kept.reason].filter(Boolean).join(' ') };
}

/** The worktree that an earlier run left, and that could not be opened. */
function leftTree(task: Task, { place }: RunTaskOptions): string | null {
  const [at] = treePlaces(task, place);
  return existsSync(at) ? at : null;
}

/** Sessions are files of the data root, named by their id. */
function hasSession(id: string, env: NodeJS.ProcessEnv): boolean {
  return existsSync(path.join(dataRoot(env), 'sessions', `${id}.jsonl`));
}

/** In all runs of a session. */
function spentBy(session: string, env: NodeJS.ProcessEnv): Pick<TaskResult, 'costUsd' | 'tokens'> {
  const { spent } = new Ledger(path.join(dataRoot(env), 'ledger')).totals(session).session;
  const tokens = spent.flatMap(({ usage }) => Object.values(usage)).reduce((sum, count) => sum + count, 0);
  const isUnknown = spent.some(({ usd }) => usd === null);
  return { costUsd: isUnknown ? null : spent.reduce((sum, { usd }) => sum + (usd ?? 0), 0), tokens };
}

async function removeTree(tree: Worktree, { onEvent }: RunTaskOptions): Promise<void> {
  try {
    await removeWorktree(tree);
  } catch (error) {
    if (!isErrno(error)) throw error;
    tree.lock.release();
    onEvent?.({ type: 'note', text: `Could not remove ${tree.at} (${error.code}). Delete it yourself.` });
  }
}
