import { isOpen, type TaskResult } from '../task.ts';
import { type Fleet, fleetKeys } from './fleet.ts';
import { readWorkers } from './heartbeat.ts';
import { openResult, readBatch } from './messages.ts';
import { jobsOf } from './submit.ts';

export type QueuedTaskState = {
  task: string;
  /** `interrupted`: cancelled, or stopped at the end of the budget. */
  state: 'waiting' | 'running' | 'interrupted' | TaskResult['status'];
  /** How often a worker has started it. */
  deliveries: number;
  result: TaskResult | null;
};

/** All tasks of a batch in the queue, by name. */
export async function tasksOf(fleet: Fleet, batch: string): Promise<QueuedTaskState[]> {
  const { id } = await readBatch(fleet, batch);
  const jobs = await jobsOf(fleet, id);
  if (jobs.length === 0) return [];
  const running = new Set((await readWorkers(fleet)).flatMap((worker) => worker.running));
  const sealed = await fleet.redis.hmget(fleetKeys.batch(id).results, ...jobs.map(({ job }) => job));
  const fences = fleet.redis.pipeline();
  for (const { job } of jobs) fences.hget(fleetKeys.task(job), 'fence');
  const counted = await fences.exec();
  return jobs
    .map(({ job, task }, i): QueuedTaskState => {
      const result = openResult(fleet, job, sealed[i] ?? '');
      const unfinished = running.has(`${id}/${task}`) ? 'running' : 'waiting';
      const ended = result && (isOpen(result) ? 'interrupted' : result.status);
      return { task, state: ended ?? unfinished, deliveries: Number(counted?.[i]?.[1] ?? 0), result };
    })
    .sort((a, b) => a.task.localeCompare(b.task, 'en', { numeric: true }));
}
