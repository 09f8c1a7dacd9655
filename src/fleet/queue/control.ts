import type { JobType } from 'bullmq';
import { UserError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { TaskResult } from '../task.ts';
import { type Fleet, fleetKeys, openText } from './fleet.ts';
import { readWorkers, type WorkerState } from './heartbeat.ts';
import { type Attempt, openResult, type QueuedBatch, readBatch, readBatches } from './messages.ts';
import { jobsOf, type QueuedJob, removeBatch } from './submit.ts';

export type QueueDepth = { labels: string[] } & Record<'waiting' | 'active' | 'delayed' | 'failed', number>;
export type BatchCounts = { batch: QueuedBatch; ended: number; total: number; isCancelled: boolean };
export type FleetStatus = { queues: QueueDepth[]; batches: BatchCounts[]; workers: WorkerState[] };

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
): Promise<(QueuedJob & { result: TaskResult })[]> {
  const jobs = await jobsOf(fleet, batch);
  const queues = new Map((await fleet.queues()).map(({ queue }) => [queue.name, queue]));
  const failed = new Set<string>();
  for (const name of new Set(jobs.map(({ queue }) => queue)))
    for (const job of (await queues.get(name)?.getJobs(['failed'])) ?? []) failed.add(job.id ?? '');
  const dead = jobs.filter(({ job }) => failed.has(job));
  const { results } = fleetKeys.batch(batch);
  const sealed = dead.length === 0 ? [] : await fleet.redis.hmget(results, ...dead.map(({ job }) => job));
  return dead.flatMap((one, i) => {
    const result = openResult(fleet, one.job, sealed[i] ?? '');
    return result ? [{ ...one, result }] : [];
  });
}

/** Tasks of a batch that are not done get the result "cancelled"; running ones are stopped. */
export async function cancel(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<void> {
  await readBatch(fleet, batch);
  const { cancelled } = fleetKeys.batch(batch);
  const jobs = await chosen(fleet, batch, tasks);
  await fleet.redis.sadd(cancelled, ...(tasks.length === 0 ? ['all'] : jobs.map(({ job }) => job)));
}

/** Removes a batch and all its results from the queue. */
export async function remove(fleet: Fleet, batch: string): Promise<void> {
  await readBatch(fleet, batch);
  await removeBatch(fleet, batch);
}

/** Delivers tasks of the dead-letter list again; returns them. */
export async function retry(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<string[]> {
  await readBatch(fleet, batch);
  const wanted = new Set((await chosen(fleet, batch, tasks)).map(({ job }) => job));
  const dead = (await deadLetters(fleet, batch)).filter(({ job }) => wanted.has(job));
  const queues = new Map((await fleet.queues()).map(({ queue }) => [queue.name, queue]));
  for (const { job, queue } of dead) {
    const key = fleetKeys.task(job);
    const fence = await fleet.redis.hget(key, 'fence');
    await fleet.redis
      .multi()
      .hset(key, { ended: fence ?? '0', failures: '0' })
      .hdel(fleetKeys.batch(batch).results, job)
      .exec();
    await (await queues.get(queue)?.getJob(job))?.retry('failed');
  }
  return dead.map(({ task }) => task);
}

/** The deliveries of a task so far, and its result if it has one. */
export async function taskLog(
  fleet: Fleet,
  batch: string,
  task: string,
): Promise<{ attempts: Attempt[]; result: TaskResult | null }> {
  const [{ job } = { job: '' }] = await chosen(fleet, batch, [task]);
  const key = fleetKeys.log(job);
  const attempts = (await fleet.redis.lrange(key, 0, -1)).flatMap((sealed) => {
    const entry = parseJson(openText(fleet.seal, key, sealed) ?? '');
    return entry === undefined ? [] : [entry as Attempt];
  });
  const sealed = await fleet.redis.hget(fleetKeys.batch(batch).results, job);
  return { attempts, result: sealed === null ? null : openResult(fleet, job, sealed) };
}

/** The jobs of these tasks; without names, of all. */
async function chosen(fleet: Fleet, batch: string, tasks: readonly string[]): Promise<QueuedJob[]> {
  const jobs = await jobsOf(fleet, batch);
  const unknown = tasks.find((name) => !jobs.some(({ task }) => task === name));
  if (unknown !== undefined)
    throw new UserError(`Batch ${batch} has no task ${unknown}.`, 'Check the name in its task file.');
  return tasks.length === 0 ? jobs : jobs.filter(({ task }) => tasks.includes(task));
}
