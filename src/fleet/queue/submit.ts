import { createRedisBudget, removeRedisBudget } from '../../cache/redis-budget.ts';
import { UserError } from '../../contract/errors.ts';
import { pause } from '../../lib/async/abort.ts';
import { isOpen, type Task, type TaskResult } from '../task.ts';
import { type Fleet, fleetKeys, openText, queueName, sealText } from './fleet.ts';
import { jobOf, openResult, type QueuedBatch, saveBatch, sealTask } from './messages.ts';

const CHUNK = 500;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;

/** A task and the session it runs in, both decided before it is queued. */
export type Submission = { task: Task; session: string };

/** Queues the tasks. May be repeated after a crash: what is queued or done stays as it is. */
export async function submitBatch(
  fleet: Fleet,
  batch: QueuedBatch,
  submissions: readonly Submission[],
): Promise<void> {
  const { redis } = fleet;
  const { jobs, results, budget } = fleetKeys.batch(batch.id);
  await saveBatch(fleet, batch);
  await createRedisBudget({ redis, prefix: budget });
  for (const [labels, group] of byLabels(submissions)) {
    const queue = await fleet.queue(labels);
    for (let at = 0; at < group.length; at += CHUNK) {
      const chunk = group
        .slice(at, at + CHUNK)
        .map((one) => ({ ...one, job: jobOf(fleet, batch.id, one.task.id) }));
      const known = await redis.hmget(results, ...chunk.map(({ job }) => job));
      const named = chunk.filter(({ job }, i) => isMissing(openResult(fleet, job, known[i] ?? '')));
      if (named.length === 0) continue;
      // Stopped at a limit that may be higher now.
      await redis.hdel(results, ...named.map(({ job }) => job));
      await redis.hset(
        jobs,
        Object.fromEntries(named.map(({ task, job }) => [job, entryOf(fleet, job, task)])),
      );
      await queue.addBulk(
        named.map(({ job, task, session }) => ({
          name: 'task',
          data: sealTask(fleet, job, { batch: batch.id, task, session }),
          opts: { jobId: job, removeOnComplete: true },
        })),
      );
    }
  }
}

function isMissing(result: TaskResult | null): boolean {
  return !result || isOpen(result);
}

function byLabels(submissions: readonly Submission[]): [string[], Submission[]][] {
  const groups = new Map<string, [string[], Submission[]]>();
  for (const one of submissions) {
    const labels = [...new Set(one.task.labels)].sort();
    const group = groups.get(queueName(labels)) ?? [labels, []];
    group[1].push(one);
    groups.set(queueName(labels), group);
  }
  return [...groups.values()];
}

/** The queue of a job and the id of its task. */
function entryOf({ seal }: Fleet, job: string, { id, labels }: Task): string {
  return `${queueName([...new Set(labels)].sort())} ${sealText(seal, `job ${job}`, id)}`;
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

/** Each result as it arrives; ends when all tasks have one. */
export async function* collectResults(
  fleet: Fleet,
  batch: string,
  signal: AbortSignal,
): AsyncGenerator<TaskResult> {
  const { redis } = fleet;
  const { done, results, jobs: all } = fleetKeys.batch(batch);
  let wait = SHORTEST_POLL_MS;
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const isComplete = (await redis.hlen(results)) >= (await redis.hlen(all));
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
    else if (isComplete) return;
    else {
      await pause(wait, signal);
      wait = Math.min(wait * 1.5, LONGEST_POLL_MS);
    }
  }
}

/** Removes everything of a batch. Tasks that are running are told by the fence that they are too late. */
export async function removeBatch(fleet: Fleet, batch: string): Promise<void> {
  const { redis } = fleet;
  const { results, done, jobs, cancelled, budget } = fleetKeys.batch(batch);
  const queues = new Map((await fleet.queues()).map(({ queue }) => [queue.name, queue]));
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
  await removeRedisBudget({ redis, prefix: budget });
  await redis.unlink(results, done, jobs, cancelled);
  await redis.hdel(fleetKeys.batches, batch);
}
