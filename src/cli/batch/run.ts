import { existsSync } from 'node:fs';
import { loadSettings } from '../../app/settings.ts';
import { queueVariable } from '../../config/environment.ts';
import { UserError } from '../../contract/errors.ts';
import { type BatchState, listBatches, OpenBatch, readBatch } from '../../fleet/batch/batch-store.ts';
import { removeLeftoverTrees } from '../../fleet/batch/leftover-trees.ts';
import { type BatchEnd, type RunBatchOptions, runBatch } from '../../fleet/batch/run-batch.ts';
import { runTask } from '../../fleet/run-task.ts';
import { openTree } from '../../fleet/task-tree.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import { shutdownSignal } from '../../frontends/shared/signals.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { programOf } from '../../frontends/shared/this-program.ts';
import { onAbort } from '../../lib/async/abort.ts';
import { dataRoot, resolvePath } from '../../lib/files/data-root.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { counted } from '../../lib/text/counted.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import { type BatchFlags, defaultJobs, taskFlags } from './flags.ts';
import { newTasks, warnIfDirty } from './new-tasks.ts';
import { progressView } from './progress-view.ts';
import { queueOf, requireNoOwnPlace } from './queue-flags.ts';
import { type ResultOutput, resultOutput } from './result-output.ts';
import { batchList, closingText, exitCodeOf, taskList } from './text.ts';
import { traced } from './traced.ts';
import { writeReports } from './write-reports.ts';

/** Resolves with the exit code. */
export async function runBatchCommand(
  tasks: string | undefined,
  flags: BatchFlags,
  terminal: Terminal,
): Promise<number> {
  const root = dataRoot(terminal.env);
  const isList = tasks === 'list' && !existsSync(resolvePath(tasks, terminal.cwd, terminal.env));
  if (flags.list || isList) {
    terminal.stdout.write(batchList(listBatches(root)));
    return exitCodes.done.code;
  }
  if (flags.resume !== undefined) return resume(flags, tasks, terminal);
  if (flags.retryFailed)
    throw new UserError(
      '--retry-failed needs --resume.',
      'Add --resume for the last batch of this folder, or --resume ID.',
    );
  const found = await newTasks(tasks, flags, terminal);
  if (flags.dryRun) {
    terminal.stdout.write(taskList(found));
    return exitCodes.done.code;
  }
  const queue = flags.queue ?? terminal.env[queueVariable];
  const place = queueOf(queue, found, { flags, terminal });
  await warnIfDirty(found, terminal);
  // Before there is a batch that would have to be resumed or removed.
  if (queue) await (await import('../fleet/connect.ts')).checkQueue(queue, terminal);
  const output = resultOutput(flags.output, terminal);
  const batch = await OpenBatch.create(root, found, {
    cwd: terminal.cwd,
    jobs: flags.jobs ?? defaultJobs(),
    ...(flags.budget !== undefined && { budget: flags.budget }),
    ...(flags.trees !== undefined && { trees: resolvePath(flags.trees, terminal.cwd, terminal.env) }),
    changes: flags.changes ?? 'branch',
    ...place,
    trust: flags.trust ?? false,
  });
  return work(batch, { flags, output }, terminal);
}

async function resume(flags: BatchFlags, tasks: string | undefined, terminal: Terminal): Promise<number> {
  const fixed = taskFlags.find((name) => (Array.isArray(flags[name]) ? flags[name].length > 0 : flags[name]));
  if (tasks !== undefined || fixed !== undefined)
    throw new UserError(
      'A batch that is resumed keeps its tasks.',
      `Leave out ${tasks ?? `--${fixed?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`}, or start a new batch.`,
    );
  const root = dataRoot(terminal.env);
  const id = batchNamed(flags, root, terminal.cwd);
  if (readBatch(root, id)?.description.queue !== undefined) requireNoOwnPlace(flags);
  const output = resultOutput(flags.output, terminal);
  const batch = await OpenBatch.open(root, id);
  const { jobs, budget, trees } = flags;
  await batch.change({
    ...(jobs !== undefined && { jobs }),
    ...(budget !== undefined && { budget }),
    ...(trees !== undefined && { trees: resolvePath(trees, terminal.cwd, terminal.env) }),
  });
  return work(batch, { flags, output }, terminal);
}

/** An id, the beginning of one, or the last batch of this folder that has something left to run. */
function batchNamed(
  { resume: wanted = true, retryFailed = false }: BatchFlags,
  root: string,
  cwd: string,
): string {
  const list = 'Run `aca batch --list` to see all.';
  if (typeof wanted === 'string' && readBatch(root, wanted)) return wanted;
  const all = listBatches(root);
  if (wanted === true) {
    const here = all.filter(({ description }) => description.cwd === cwd);
    const last = here.find((state) => countLeft(state, { retryFailed }) > 0);
    if (last) return last.description.id;
    const hasFailed = here.some((state) => countLeft(state, { retryFailed: true }) > 0);
    throw new UserError(
      'No batch to resume in this folder.',
      hasFailed ? 'Add --retry-failed to run the failed tasks of the last one again.' : list,
    );
  }
  const [only, ...others] = all.filter(({ description }) => description.id.startsWith(wanted));
  if (!only) throw new UserError(`There is no batch ${wanted}.`, list);
  if (others.length > 0) throw new UserError(`${wanted} matches ${others.length + 1} batches.`, list);
  return only.description.id;
}

async function work(
  batch: OpenBatch,
  { flags, output }: { flags: BatchFlags; output: ResultOutput },
  terminal: Terminal,
): Promise<number> {
  const { stderr, env } = terminal;
  const { description, tasks } = batch.state;
  const view = progressView(stderr, terminal);
  const keeper = createProcessKeeper({ path: env.PATH });
  const leaving = shutdownSignal(terminal);
  const stopping = onAbort(leaving, () => view.print('Stopping… (Ctrl-C again to quit at once)'));
  const left = countLeft(batch.state, flags);
  const where =
    description.queue === undefined ? `${description.jobs} at a time` : `queued at ${description.queue}`;
  const which = left === tasks.length ? counted(left, 'task') : `${left} of ${counted(tasks.length, 'task')}`;
  view.print(`Batch ${description.id}: ${which}, ${where}.`);
  try {
    for (const text of await removeLeftoverTrees(batch, env)) view.print(text);
    const retry = flags.retryFailed ? 'failed' : 'open';
    const onEvent: RunBatchOptions['onEvent'] = (event, progress) => {
      if (event.type === 'ended') output.write(event.result);
      view.take(event, progress);
    };
    const end =
      description.queue === undefined
        ? await runHere(batch, { terminal, keeper, retry, signal: leaving, onEvent })
        : await (await import('./queued.ts')).runQueued(batch, {
            queue: flags.queue,
            terminal,
            print: (text) => view.print(text),
            retry,
            signal: leaving,
            onEvent,
          });
    view.end();
    await writeReports(batch, terminal);
    output.check();
    return close(batch, end, terminal);
  } catch (error) {
    view.end();
    throw withResume(error, `${description.id}${flags.retryFailed ? ' --retry-failed' : ''}`);
  } finally {
    stopping.off();
    view.end();
    await keeper.close();
    batch.close();
  }
}

type Here = Pick<RunBatchOptions, 'retry' | 'signal' | 'onEvent'> &
  Pick<RunBatchOptions['place'], 'keeper'> & { terminal: Terminal };

function runHere(batch: OpenBatch, { terminal, keeper, ...options }: Here): Promise<BatchEnd> {
  const { trees, jobs } = batch.state.description;
  const settings = loadSettings({}, terminal);
  return traced(batch, { settings, terminal }, ({ TRACEPARENT, isReported }) => {
    const env = { ...terminal.env, ...(isReported && { TRACEPARENT }) };
    const place = { program: programOf(terminal), keeper, env, ...(trees !== undefined && { trees }) };
    return runBatch(batch, { ...options, place, jobs, prepare: openTree, run: runTask });
  });
}

function close(batch: OpenBatch, end: BatchEnd, { stderr }: Terminal): number {
  stderr.write(closingText(batch.state, end, batch.files));
  return exitCodeOf(batch.state, end);
}

/** How many tasks a resumed batch runs. */
function countLeft({ tasks, results }: BatchState, { retryFailed }: Pick<BatchFlags, 'retryFailed'>): number {
  if (!retryFailed) return tasks.length - results.size;
  return tasks.filter(({ id }) => results.get(id)?.status !== 'done').length;
}

/** A batch that fails, for example on a full disk, can go on later. */
function withResume(error: unknown, id: string): unknown {
  if (!isErrno(error)) return error;
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const why = isFull ? 'The disk is full' : `The disk refused (${error.code})`;
  return new UserError(
    `${why}: ${error.path ?? 'the batch'} could not be written, and the batch was stopped.`,
    `${isFull ? 'Free some space' : 'Fix that'}, then run: aca batch --resume ${id}`,
    { exit: 'error', cause: error },
  );
}
