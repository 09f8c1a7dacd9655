import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { OpenBatch } from '../batch/batch-store.ts';
import { ProgressCounter } from '../batch/progress.ts';
import type { BatchEnd, RunBatchOptions } from '../batch/run-batch.ts';
import type { BatchLimits } from '../shared-budget.ts';
import { openStore, type ResultStore, storeNames } from '../store/result-store.ts';
import { isOpen, type Task, type TaskResult, taskResultSchema } from '../task.ts';
import { deadLetters, retry } from './control.ts';
import type { Fleet } from './fleet.ts';
import { collectResults, removeBatch, submitBatch } from './submit.ts';

export type RunQueuedOptions = Pick<RunBatchOptions, 'retry' | 'signal' | 'onEvent'> & {
  fleet: Fleet;
  /** Where workers put patches and results: a folder or s3://bucket/prefix. */
  store: string | undefined;
  quotas: BatchLimits['quotas'];
  traceparent: string | undefined;
  env: NodeJS.ProcessEnv;
};

/** Queues the open tasks of a batch, and collects their results. Workers go on when this process ends. */
export async function runQueuedBatch(batch: OpenBatch, options: RunQueuedOptions): Promise<BatchEnd> {
  const { fleet, signal, env } = options;
  const { description, tasks, results } = batch.state;
  const open = openTasks(batch, options.retry);
  requireReachable(open, options.store);
  const submissions = open.map((task) => ({ task, session: sessionOf(batch, task) }));
  if (options.retry === 'failed') await retry(fleet, description.id, []).catch(unlessUser);
  const { id, createdAt, changes, budget: limits } = description;
  await submitBatch(
    fleet,
    {
      id,
      createdAt,
      changes,
      ...(limits !== undefined && { limits }),
      ...(options.quotas && { quotas: options.quotas }),
      ...(options.store !== undefined && { store: options.store }),
      ...(options.traceparent !== undefined && { traceparent: options.traceparent }),
    },
    submissions,
  );
  const counter = new ProgressCounter(tasks, results);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const store = options.store === undefined ? null : await openStore(options.store, env);
  let end: BatchEnd = { type: 'complete' };
  try {
    for await (const short of collectResults(fleet, id, signal)) {
      const task = byId.get(short.task);
      if (!task || results.has(task.id)) continue;
      const result = store ? await fullResult(batch, short, store) : short;
      counter.started();
      if (isOpen(result)) {
        counter.ended(null);
        if (result.failure === 'budget') end = { type: 'budget', reason: result.reason ?? '' };
        else if (end.type === 'complete') end = { type: 'interrupted' };
        options.onEvent({ type: 'interrupted', task }, counter.progress);
        continue;
      }
      batch.finish(result);
      counter.ended(result);
      options.onEvent({ type: 'ended', task, result }, counter.progress);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'interrupted' };
  } finally {
    store?.close();
  }
  // Tasks that were given up can be retried: `aca fleet retry`.
  if (end.type === 'complete' && (await deadLetters(fleet, id)).length === 0) await removeBatch(fleet, id);
  return end;
}

function openTasks({ state }: OpenBatch, retry: RunBatchOptions['retry']): Task[] {
  const { tasks, results, sessions } = state;
  if (retry === 'failed')
    for (const [id, { status }] of results) {
      if (status !== 'failed') continue;
      results.delete(id);
      // From the beginning, in a new session.
      sessions.delete(id);
    }
  return tasks.filter(({ id }) => !results.has(id));
}

/** Decided before the task is queued, so that all its deliveries use the same. */
function sessionOf(batch: OpenBatch, task: Task): string {
  const known = batch.state.sessions.get(task.id);
  if (known !== undefined) return known;
  const session = randomUUID();
  batch.record({ type: 'start', at: new Date().toISOString(), task: task.id, session });
  return session;
}

/** Copies of folders leave no branch: their changes need another way back. */
function requireReachable(tasks: readonly Task[], store: string | undefined): void {
  const folder = tasks.find(({ source }) => source.type === 'folder');
  if (folder && store === undefined)
    throw new UserError(
      `Task ${folder.id} works on a folder, and its changes have no way back.`,
      'Add --store FOLDER or --store s3://BUCKET/PREFIX, or commit the folder to a git repository.',
    );
}

/** What the queue does not hold: the whole answer, and the patch. */
async function fullResult(batch: OpenBatch, short: TaskResult, store: ResultStore): Promise<TaskResult> {
  const names = storeNames(batch.state.description.id, short.task);
  const text = await store.get(names.result);
  const parsed = taskResultSchema.safeParse(parseJson(String(text)));
  const { patch, ...result } = parsed.success ? parsed.data : short;
  if (patch === undefined) return result;
  const content = await store.get(names.patch);
  if (!content) return result;
  const file = path.join(batch.files.patches, `${short.task}.patch`);
  writeFileSync(file, content, { mode: 0o600 });
  return { ...result, patch: file };
}

/** The batch may not be in the queue any more: then its tasks are queued as new ones. */
function unlessUser(error: unknown): void {
  if (!(error instanceof UserError)) throw error;
}
