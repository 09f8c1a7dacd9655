import { randomUUID } from 'node:crypto';
import type { Job, JobType } from 'bullmq';
import { UserError } from '../../contract/errors.ts';
import { limited, pause } from '../../lib/async/abort.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { TaskResult } from '../task.ts';
import { failedResult } from './failed-result.ts';
import { type Fleet, fleetKeys, openText } from './fleet.ts';
import { askToDrain, readWorkers, type WorkerState } from './heartbeat.ts';
import {
  type Attempt,
  openResult,
  openTask,
  type QueuedBatch,
  readBatch,
  readBatches,
  sealResult,
} from './messages.ts';
import { finishTask, reopenTask, startDelivery } from './scripts.ts';
import { jobsOf, type QueuedJob, queuesByName, removeBatch } from './submit.ts';

export type QueueDepth = { labels: string[] } & Record<'waiting' | 'active' | 'delayed' | 'failed', number>;
export type BatchCounts = { batch: QueuedBatch; ended: number; total: number; isCancelled: boolean };
export type GivenUp = { batch: string; task: string; reason: string };
export type FleetStatus = { queues: QueueDepth[]; batches: BatchCounts[]; workers: WorkerState[] };

const WAITING: ReadonlySet<string> = new Set(['waiting', 'delayed', 'prioritized']);
/** Whoever removes a batch that is not done may not be able to tell its submitter what it has spent. */
const KEEP_SPENT_MS = 30 * 86_400_000;
/** A worker that was killed while it moved a task to the failed ones leaves it to others, who will run it. */
const MOVING_MS = 5_000;
const STATES: JobType[] = ['waiting', 'active', 'delayed', 'failed'];

export async function queueDepths(fleet: Fleet): Promise<QueueDepth[]> {
  return Promise.all(
    (await fleet.queues()).map(async ({ labels, queue }) => {
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts(...STATES);
      return { labels, waiting, active, delayed, failed };
    }),
  );
}

export async function fleetStatus(fleet: Fleet): Promise<FleetStatus> {
  const [queues, workers, all] = await Promise.all([
    queueDepths(fleet),
    readWorkers(fleet),
    readBatches(fleet),
  ]);
  const batches = await Promise.all(
    all.map(async (batch) => {
      const { results, jobs, cancelled } = fleetKeys.batch(batch.id);
      const [ended, total] = [await fleet.redis.hlen(results), await fleet.redis.hlen(jobs)];
      const isCancelled = (await fleet.redis.sismember(cancelled, 'all')) === 1;
      return { batch, ended, total, isCancelled };
    }),
  );
  return { queues, batches, workers };
}

/** The dead-letter list of a batch: tasks that were given up, with their results. */
export async function deadLetters(
  fleet: Fleet,
  batch: string,
): Promise<(QueuedJob & { result: TaskResult | null })[]> {
  const { results, dead } = fleetKeys.batch(batch);
  const given = new Set(await fleet.redis.smembers(dead));
  if (given.size === 0) return [];
  const jobs = (await jobsOf(fleet, batch)).filter(({ job }) => given.has(job));
  const sealed = jobs.length === 0 ? [] : await fleet.redis.hmget(results, ...jobs.map(({ job }) => job));
  // Without a result: `retry` was killed half-way.
  return jobs.map((one, i) => ({ ...one, result: openResult(fleet, one.job, sealed[i] ?? '') }));
}

/** Of all batches, with the reasons. */
export async function givenUp(fleet: Fleet, { batches }: Pick<FleetStatus, 'batches'>): Promise<GivenUp[]> {
  const lists = await Promise.all(
    batches.map(async ({ batch: { id } }) =>
      (await deadLetters(fleet, id)).map(({ task, result }) => ({
        batch: id,
        task,
        reason: result?.reason ?? '',
      })),
    ),
  );
  return lists.flat();
}

/**
 * Tasks of a batch that have not ended get the result "cancelled": waiting ones at once, running ones by their
 * workers, which stop them.
 */
export async function cancel(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<void> {
  await readBatch(fleet, batch);
  const { cancelled } = fleetKeys.batch(batch);
  const jobs = await chosen(fleet, batch, tasks);
  await fleet.redis.sadd(cancelled, ...(tasks.length === 0 ? ['all'] : jobs.map(({ job }) => job)));
  const queues = await queuesByName(fleet);
  for (const { job: id, queue } of jobs) {
    const job = await queues.get(queue)?.getJob(id);
    if (!job || !WAITING.has(await job.getState())) continue;
    const opened = openTask(fleet, id, job.data);
    if (opened.type !== 'task') continue;
    // A worker that gets it now finds the result.
    const token = `cancel-${randomUUID()}`;
    const { state } = await startDelivery(fleet, batch, { job: id, token });
    const result = failedResult(opened.queued, { failure: 'interrupted', reason: 'Cancelled.' });
    if (state === 'open')
      await finishTask(fleet, { batch, job: id, token, sealed: sealResult(fleet, id, result) });
    await job.remove().catch(() => undefined);
  }
}

/** Removes a batch and all its results from the queue. */
export async function remove(fleet: Fleet, batch: string): Promise<void> {
  await readBatch(fleet, batch);
  await removeBatch(fleet, batch, KEEP_SPENT_MS);
}

/** Delivers tasks of the dead-letter list again; returns them. */
export async function retry(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<string[]> {
  await readBatch(fleet, batch);
  const wanted = new Set((await chosen(fleet, batch, tasks)).map(({ job }) => job));
  const dead = (await deadLetters(fleet, batch)).filter(({ job }) => wanted.has(job));
  const queues = await queuesByName(fleet);
  if (dead.length > 0) await fleet.redis.srem(fleetKeys.batch(batch).cancelled, 'all');
  for (const { job, queue } of dead)
    await reopenTask(fleet, { batch, job, hasEnded: true }, async () =>
      redeliver(await queues.get(queue)?.getJob(job)),
    );
  return dead.map(({ task }) => task);
}

async function redeliver(job: Job | undefined): Promise<void> {
  const late = limited(MOVING_MS);
  for (let state = await job?.getState(); ; state = await job?.getState()) {
    if (state === 'failed') return job?.retry('failed');
    // Its worker has given it up, and is about to move it.
    if (state !== 'active' || late.aborted) return;
    await pause(MOVING_MS / 50, late).catch(() => undefined);
  }
}

/** The deliveries of a task that have ended, who has it now, and its result if it has one. */
export async function taskLog(
  fleet: Fleet,
  batch: string,
  task: string,
): Promise<{
  attempts: Attempt[];
  worker: Pick<WorkerState, 'id' | 'host'> | null;
  result: TaskResult | null;
}> {
  await readBatch(fleet, batch);
  const [{ job } = { job: '' }] = await chosen(fleet, batch, [task]);
  const key = fleetKeys.log(job);
  const attempts = (await fleet.redis.lrange(key, 0, -1)).flatMap((sealed) => {
    const entry = parseJson(openText(fleet.seal, key, sealed) ?? '');
    return entry === undefined ? [] : [entry as Attempt];
  });
  const sealed = await fleet.redis.hget(fleetKeys.batch(batch).results, job);
  const running = (await readWorkers(fleet)).find((one) => one.running.includes(`${batch}/${task}`));
  const worker = running ? { id: running.id, host: running.host } : null;
  return { attempts, worker, result: sealed === null ? null : openResult(fleet, job, sealed) };
}

/** Workers finish what they do, and leave; without names, all of them. Returns which. */
export async function drain(fleet: Fleet, wanted: readonly string[]): Promise<string[]> {
  const known = (await readWorkers(fleet)).map(({ id }) => id);
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new UserError(`There is no worker ${unknown}.`, 'Run `aca fleet status` to see all.');
  const ids = wanted.length > 0 ? [...wanted] : known;
  await askToDrain(fleet, ids);
  return ids;
}

/** The jobs of these tasks; without names, of all. */
async function chosen(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<QueuedJob[]> {
  const jobs = await jobsOf(fleet, batch);
  const unknown = tasks.find((name) => !jobs.some(({ task }) => task === name));
  if (unknown !== undefined)
    throw new UserError(`Batch ${batch} has no task ${unknown}.`, 'Check the name in its task file.');
  return tasks.length === 0 ? jobs : jobs.filter(({ task }) => tasks.includes(task));
}
