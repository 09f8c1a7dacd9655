import type { Queue } from 'bullmq';
import { closeRedisBudget, removeRedisBudget } from '../../cache/redis-budget.ts';
import { UserError } from '../../contract/errors.ts';
import { pause } from '../../lib/async/abort.ts';
import { isOpen, type Task } from '../task.ts';
import { type Fleet, fleetKeys, openText, queueName, sealText } from './fleet.ts';
import { jobOf, openResult, type QueuedBatch, type QueuedResult, saveBatch, sealTask } from './messages.ts';
import { reopenTask } from './scripts.ts';

const CHUNK = 500;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

/** A task and the session it runs in, both decided before it is queued. `isRetry`: although it has failed. */
export type Submission = { task: Task; session: string; isRetry: boolean };

/** Queues the tasks. May be repeated after a crash: what is queued or done stays as it is. */
export async function submitBatch(
  fleet: Fleet,
  batch: QueuedBatch,
  submissions: readonly Submission[],
): Promise<void> {
  const { redis } = fleet;
  const { results, cancelled } = fleetKeys.batch(batch.id);
  await redis.srem(cancelled, 'all');
  await saveBatch(fleet, batch);
  for (const [labels, group] of byLabels(fleet, submissions)) {
    const queue = await fleet.queue(labels);
    for (let at = 0; at < group.length; at += CHUNK) {
      const chunk = group.slice(at, at + CHUNK).map((one) => withJob(fleet, batch.id, one));
      const sealed = await redis.hmget(results, ...chunk.map(({ job }) => job));
      const known = chunk.map((one, i) => ({ ...one, result: openResult(fleet, one.job, sealed[i] ?? '') }));
      const named = known.filter(({ result, isRetry }) => !result || isOpen(result) || isRetry);
      if (named.length === 0) continue;
      for (const { job, result, isRetry } of named) {
        // Stopped at a limit that may be higher now, cancelled, or failed.
        const isAgain = result !== null || isRetry;
        // The dead-letter list has it; otherwise it is gone, or running.
        const remove = async () => isRetry && (await queue.remove(job).catch(() => 0));
        if (isAgain) await reopenTask(fleet, { batch: batch.id, job, hasEnded: isRetry }, remove);
      }
      await listJobs(fleet, batch.id, named);
      await addJobs(fleet, { batch: batch.id, queue }, named);
    }
  }
}

/**
 * Queues tasks again that the server has lost: there is neither a job nor a result, although the batch is known. Returns
 * how many there were, and how many of all given ones have no result.
 */
export async function queueLost(
  fleet: Fleet,
  batch: string,
  submissions: readonly Submission[],
): Promise<{ lost: number; open: number }> {
  const { redis } = fleet;
  const found = { lost: 0, open: 0 };
  for (const [labels, group] of byLabels(fleet, submissions)) {
    const queue = await fleet.queue(labels);
    for (let at = 0; at < group.length; at += CHUNK) {
      const chunk = group.slice(at, at + CHUNK).map((one) => withJob(fleet, batch, one));
      const asking = redis.pipeline();
      for (const { job } of chunk) asking.hexists(queue.toKey(job), 'data');
      const there = (await asking.exec()) ?? [];
      // Asked later: a result is written before its job is removed.
      const results = await redis.hmget(fleetKeys.batch(batch).results, ...chunk.map(({ job }) => job));
      const open = chunk.filter((_, i) => results[i] === null);
      const lost = chunk.filter((_, i) => results[i] === null && there[i]?.[1] === 0);
      if (open.length === 0 || (await redis.hexists(fleetKeys.batches, batch)) === 0) continue;
      found.open += open.length;
      found.lost += lost.length;
      await listJobs(fleet, batch, open);
      // What is left of it: its name may still be in a list. One that a worker has just taken is removed by that one.
      for (const { job } of lost) await queue.remove(job).catch(() => 0);
      if (lost.length > 0) await addJobs(fleet, { batch, queue }, lost);
    }
  }
  return found;
}

type WithJob = Submission & { job: string };

function withJob(fleet: Fleet, batch: string, one: Submission): WithJob {
  return { ...one, job: jobOf(fleet, batch, one.task.id) };
}

/** So that everybody finds all jobs of a batch. */
async function listJobs(fleet: Fleet, batch: string, all: readonly WithJob[]): Promise<void> {
  const entries = all.map(({ task, job }) => [job, entryOf(fleet, job, task)]);
  await fleet.redis.hset(fleetKeys.batch(batch).jobs, Object.fromEntries(entries));
}

async function addJobs(
  fleet: Fleet,
  { batch, queue }: { batch: string; queue: Queue },
  all: readonly WithJob[],
): Promise<void> {
  await queue.addBulk(
    all.map(({ job, task, session }) => ({
      name: 'task',
      data: sealTask(fleet, job, { batch, task, session }),
      opts: { jobId: job, removeOnComplete: true },
    })),
  );
}

function byLabels(fleet: Fleet, submissions: readonly Submission[]): [string[], Submission[]][] {
  const groups = new Map<string, [string[], Submission[]]>();
  for (const one of submissions) {
    const labels = [...new Set(one.task.labels)].sort();
    const name = queueName(fleet, labels);
    const group = groups.get(name) ?? [labels, []];
    group[1].push(one);
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The queue of a job and the id of its task. */
function entryOf(fleet: Fleet, job: string, { id, labels }: Task): string {
  return `${queueName(fleet, [...new Set(labels)])} ${sealText(fleet.seal, `job ${job}`, id)}`;
}

export type QueuedJob = { job: string; queue: string; task: string };

export async function jobsOf({ redis, seal }: Fleet, batch: string): Promise<QueuedJob[]> {
  const all = Object.entries(await redis.hgetall(fleetKeys.batch(batch).jobs));
  return all.flatMap(([job, entry]) => {
    const [queue = '', sealed = ''] = entry.split(' ');
    const task = openText(seal, `job ${job}`, sealed);
    return task === null ? [] : [{ job, queue, task }];
  });
}

export async function queuesByName(fleet: Fleet): Promise<Map<string, Queue>> {
  return new Map((await fleet.queues()).map(({ queue }) => [queue.name, queue]));
}

type Collecting = {
  signal: AbortSignal;
  /** Whether tasks have no result although the server says that all have one: it may have lost its list of them. */
  isIncomplete(): Promise<boolean>;
};

/** Each result as it arrives; ends when all tasks have one. */
export async function* collectResults(
  fleet: Fleet,
  batch: string,
  { signal, isIncomplete }: Collecting,
): AsyncGenerator<QueuedResult> {
  const { redis } = fleet;
  const { done, results, jobs: all } = fleetKeys.batch(batch);
  let wait = SHORTEST_POLL_MS;
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const isComplete = (await redis.hlen(results)) >= (await redis.hlen(all));
    if ((await redis.hexists(fleetKeys.batches, batch)) === 0)
      throw new UserError(
        `Batch ${batch} is no longer in the queue: it was removed, or Redis lost its data.`,
        `Run \`aca batch --resume ${batch}\` to queue its open tasks again.`,
      );
    const jobs = await redis.lrange(done, at, at + CHUNK - 1);
    const sealed = jobs.length === 0 ? [] : await redis.hmget(results, ...jobs);
    for (const [i, job] of jobs.entries()) {
      // Gone if the task was queued again since.
      if (!sealed[i]) continue;
      const result = openResult(fleet, job, sealed[i]);
      if (!result)
        throw new UserError(
          'A result cannot be decrypted.',
          'Use the same AI_ASSISTANT_REDIS_KEY everywhere.',
        );
      yield result;
    }
    at += jobs.length;
    if (jobs.length > 0) wait = SHORTEST_POLL_MS;
    else if (isComplete && !(await isIncomplete())) return;
    else {
      await pause(wait, signal);
      wait = Math.min(wait * 1.5, LONGEST_POLL_MS);
    }
  }
}

/**
 * Removes everything of a batch; what it has spent only after `keepSpentMs`, so that it counts if the batch is queued
 * again. Tasks that are running are stopped.
 */
export async function removeBatch(fleet: Fleet, batch: string, keepSpentMs = 0): Promise<void> {
  const { redis } = fleet;
  const { results, done, jobs, cancelled, dead, budget } = fleetKeys.batch(batch);
  const queues = await queuesByName(fleet);
  const all = await jobsOf(fleet, batch);
  for (let at = 0; at < all.length; at += CHUNK) {
    const chunk = all.slice(at, at + CHUNK);
    // One that is locked stays; its worker removes it.
    await Promise.all(
      chunk.map(({ job, queue }) =>
        queues
          .get(queue)
          ?.remove(job)
          .catch(() => 0),
      ),
    );
    await redis.unlink(...chunk.flatMap(({ job }) => [fleetKeys.task(job), fleetKeys.log(job)]));
  }
  const place = { redis, prefix: budget };
  await (keepSpentMs > 0 ? closeRedisBudget(place, keepSpentMs) : removeRedisBudget(place));
  await redis.unlink(results, done, jobs, cancelled, dead);
  await redis.hdel(fleetKeys.batches, batch);
}
