import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { following, pause } from '../../lib/async/abort.ts';
import { counted } from '../../lib/text/counted.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { OpenBatch } from '../batch/batch-store.ts';
import { ProgressCounter } from '../batch/progress.ts';
import type { BatchEnd, BatchEvent, RunBatchOptions } from '../batch/run-batch.ts';
import type { BatchLimits } from '../shared-budget.ts';
import { openStore, type ResultStore, storeNames } from '../store/result-store.ts';
import { type Trying, tryAgain } from '../store/try-again.ts';
import { isOpen, isTrouble, MOST_TROUBLES, type Task, type TaskResult, taskResultSchema } from '../task.ts';
import { cancel, deadLetters } from './control.ts';
import { type Fleet, fleetKeys, queueName } from './fleet.ts';
import { readWorkers } from './heartbeat.ts';
import { keepSpending, openQueuedBudget } from './kept-spending.ts';
import type { QueuedResult } from './messages.ts';
import { collectResults, queueLost, removeBatch, type Submission, submitBatch } from './submit.ts';

export type RunQueuedOptions = Pick<RunBatchOptions, 'retry' | 'signal' | 'onEvent'> & {
  fleet: Fleet;
  /** Where workers put patches and results: a folder or s3://bucket/prefix. */
  store: string | undefined;
  quotas: BatchLimits['quotas'];
  traceparent: string | undefined;
  /** Gets a sentence for the user. */
  onTrouble(text: string): void;
  env: NodeJS.ProcessEnv;
};

const WATCH_MS = 5_000;
const PROBE_MS = 100;
/** After an outage workers need a moment to report again. */
const LOOKS_WITHOUT = 3;
/** So many tasks are looked for on the server at a time. */
const LOOK_FOR = 1_000;

/** Queues the open tasks of a batch, and collects their results. Workers go on when this process ends. */
export async function runQueuedBatch(batch: OpenBatch, options: RunQueuedOptions): Promise<BatchEnd> {
  const { fleet, signal, onTrouble } = options;
  const { description } = batch.state;
  await openQueuedBudget(fleet, batch);
  const open = openTasks(batch, options.retry);
  const submissions = open.map(({ task, isRetry }) => ({ task, isRetry, session: sessionOf(batch, task) }));
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
  const watching = following(signal);
  const health = workersHealth(fleet, onTrouble);
  const lost = lostTasks(batch, submissions, options);
  const look = async () =>
    void (await Promise.all([keepSpending(fleet, batch), health(), lost.lookForSome()]));
  void watch(look, { signal: watching.signal, onTrouble });
  let end: BatchEnd;
  try {
    end = await collect(batch, open, { ...options, isIncomplete: lost.areOpen });
  } catch (error) {
    if (!signal.aborted) throw error;
    return { type: 'interrupted' };
  } finally {
    watching.abort();
    watching.stop();
  }
  await keepSpending(fleet, batch);
  // Tasks that were given up can be retried: `aca fleet retry`.
  if (end.type === 'complete' && (await deadLetters(fleet, id)).length === 0) await removeBatch(fleet, id);
  return end;
}

/** Now and then until the signal is aborted. */
async function watch(work: () => Promise<void>, { signal, onTrouble }: Trying): Promise<void> {
  while (!signal.aborted) {
    await pause(WATCH_MS, signal).catch(() => undefined);
    if (!signal.aborted) await work().catch((error: Error) => onTrouble(error.message));
  }
}

async function collect(
  batch: OpenBatch,
  open: readonly OpenTask[],
  { fleet, signal, onEvent, onTrouble, ...options }: RunQueuedOptions & { isIncomplete(): Promise<boolean> },
): Promise<BatchEnd> {
  const { description, tasks, results, begun } = batch.state;
  const counter = new ProgressCounter(batch.state);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const report = (event: BatchEvent) => onEvent(event, { ...counter.progress, running: null });
  report({ type: 'queued', unserved: await unservedLabels(fleet, open) });
  const store = options.store === undefined ? null : await openStore(options.store, options.env);
  const reading = { store, trying: { signal, onTrouble } };
  let end: BatchEnd = { type: 'complete' };
  let troubles = 0;
  try {
    for await (const short of collectResults(fleet, description.id, { signal, ...options })) {
      const task = byId.get(short.task);
      if (!task || !isNews(short, results.get(task.id))) continue;
      const full = await fullResult(batch, short, reading);
      const before = begun.get(task.id);
      const result = isOpen(full) ? batch.interrupt(full) : batch.finish(full);
      counter.started();
      counter.ended(result, before);
      if (isOpen(result)) {
        if (end.type !== 'trouble' && result.failure === 'budget')
          end = { type: 'budget', reason: result.reason ?? '' };
        else if (end.type === 'complete') end = { type: 'cancelled' };
        report({ type: 'interrupted', task });
        continue;
      }
      report({ type: 'ended', task, result });
      troubles = isTrouble(result) ? troubles + 1 : 0;
      if (end.type === 'trouble' || troubles < (await mostTroubles(fleet, troubles))) continue;
      end = { type: 'trouble', reason: result.reason ?? '' };
      await cancel(fleet, description.id, []);
    }
  } finally {
    store?.close();
  }
  return end;
}

/** Queues again what the server has lost: it may have restarted without the last of its data. */
function lostTasks(
  batch: OpenBatch,
  submissions: readonly Submission[],
  { fleet, onTrouble }: Pick<RunQueuedOptions, 'fleet' | 'onTrouble'>,
) {
  const { description, results } = batch.state;
  let at = 0;
  const lookFor = async (some: readonly Submission[]) => {
    const unknown = some.filter(({ task }) => !results.has(task.id));
    const { lost, open } = await queueLost(fleet, description.id, unknown);
    if (lost === 0) return open;
    await openQueuedBudget(fleet, batch);
    onTrouble(`The Redis server lost ${counted(lost, 'task')} of this batch. Queued again.`);
    return open;
  };
  return {
    /** A part of a large batch. */
    async lookForSome() {
      const some = submissions.slice(at, at + LOOK_FOR);
      at = at + LOOK_FOR < submissions.length ? at + LOOK_FOR : 0;
      await lookFor(some);
    },
    areOpen: async () => (await lookFor(submissions)) > 0,
  };
}

/** As many as on one machine; workers are asked only if it may matter. */
async function mostTroubles(fleet: Fleet, troubles: number): Promise<number> {
  const workers = troubles < MOST_TROUBLES ? [] : await readWorkers(fleet);
  return Math.max(MOST_TROUBLES, 2 * workers.reduce((sum, { concurrency }) => sum + concurrency, 0));
}

/** Tells once if all workers have paused, and once if none is left. */
function workersHealth(fleet: Fleet, onTrouble: (text: string) => void): () => Promise<void> {
  let known: string | null = null;
  let looksWithout = 0;
  return async () => {
    // They cannot report to a server that refuses to write: then this waits for it, too.
    await fleet.redis.set(fleetKeys.probe, '', 'PX', PROBE_MS);
    const workers = await readWorkers(fleet);
    looksWithout = workers.length === 0 ? looksWithout + 1 : 0;
    if (looksWithout === LOOKS_WITHOUT)
      onTrouble('No worker is running. The tasks wait until `aca worker` runs on a machine of the fleet.');
    const arePaused = workers.length > 0 && workers.every(({ trouble }) => trouble !== null);
    const reason = arePaused ? (workers[0]?.trouble ?? null) : null;
    if (reason !== null && reason !== known)
      onTrouble(
        `Workers have paused, because their last tasks all failed: ${reason} They try again now and then.`,
      );
    known = reason;
  };
}

type OpenTask = { task: Task; isRetry: boolean };

function openTasks(batch: OpenBatch, retry: RunBatchOptions['retry']): OpenTask[] {
  const { tasks, results } = batch.state;
  return tasks.flatMap((task): OpenTask[] => {
    const result = results.get(task.id);
    if (!result) return [{ task, isRetry: false }];
    if (retry !== 'failed' || result.status !== 'failed') return [];
    batch.retry(task.id);
    return [{ task, isRetry: true }];
  });
}

/** Sets of labels that no worker has. */
async function unservedLabels(fleet: Fleet, tasks: readonly OpenTask[]): Promise<string[][]> {
  const workers = (await readWorkers(fleet)).filter(({ isDraining }) => !isDraining);
  const sets = new Map(tasks.map(({ task: { labels } }) => [queueName(fleet, labels), labels]));
  return [...sets.values()].filter(
    (labels) => !workers.some((worker) => labels.every((label) => worker.labels.includes(label))),
  );
}

/** A task that failed may have been retried since: `aca fleet retry`. */
function isNews({ startedAt }: TaskResult, known: TaskResult | undefined): boolean {
  return !known || (known.status === 'failed' && known.startedAt !== startedAt);
}

/** Decided before the task is queued, so that all its deliveries use the same. */
function sessionOf(batch: OpenBatch, task: Task): string {
  const known = batch.state.sessions.get(task.id);
  if (known !== undefined) return known;
  const session = randomUUID();
  batch.start(task.id, session);
  return session;
}

/** With what the queue does not hold: the whole answer, and the patch. */
async function fullResult(
  batch: OpenBatch,
  { stored, ...short }: QueuedResult,
  { store, trying }: { store: ResultStore | null; trying: Trying },
): Promise<TaskResult> {
  if (stored === undefined || !store) return short;
  const names = storeNames(batch.state.description.id, short.task, stored);
  const get = (name: string) => tryAgain(() => store.get(name), trying);
  const parsed = taskResultSchema.safeParse(parseJson(String(await get(names.result))));
  const { patch, ...result } = parsed.success ? parsed.data : short;
  if (patch === undefined) return result;
  const content = await get(names.patch);
  if (!content) return result;
  const file = path.join(batch.files.patches, `${short.task}.patch`);
  writeFileSync(file, content, { mode: 0o600 });
  return { ...result, patch: file };
}
