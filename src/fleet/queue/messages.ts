import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { type TaskResult, taskResultSchema, taskSchema } from '../task.ts';
import { type Fleet, fleetKeys, openText, sealText } from './fleet.ts';

/** What all tasks of a batch have in common. */
const queuedBatchSchema = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  createdAt: z.string(),
  /** Limits and quotas as in a file of a shared budget. */
  limits: z.string().optional(),
  quotas: z.record(z.string(), z.record(z.string(), z.number())).optional(),
  /** Where patches, results and sessions go: a folder or s3://bucket/prefix. */
  store: z.string().optional(),
  changes: z.enum(['branch', 'patch']),
  /** Connects the traces of all tasks. */
  traceparent: z.string().optional(),
});

export type QueuedBatch = z.infer<typeof queuedBatchSchema>;

/** A job: references only, never files or logs. */
const queuedTaskSchema = z.object({ batch: z.string(), task: taskSchema, session: z.string() });

export type QueuedTask = z.infer<typeof queuedTaskSchema>;

/** One delivery of a task, for `aca fleet logs`. */
export type Attempt = { at: string; worker: string; fence: number; end: string };

/** The name of a task's job. */
export function jobOf({ seal }: Pick<Fleet, 'seal'>, batch: string, task: string): string {
  return seal.nameOf(`task ${batch}/${task}`).slice(0, 32);
}

export function sealTask({ seal }: Pick<Fleet, 'seal'>, job: string, task: QueuedTask): { sealed: string } {
  return { sealed: sealText(seal, job, JSON.stringify(task)) };
}

/** Null if it was sealed with another key. */
export function openTask({ seal }: Pick<Fleet, 'seal'>, job: string, data: unknown): QueuedTask | null {
  const { sealed } = data as { sealed?: unknown };
  const text = typeof sealed === 'string' ? openText(seal, job, sealed) : null;
  return text === null ? null : queuedTaskSchema.parse(JSON.parse(text));
}

export function sealResult({ seal }: Pick<Fleet, 'seal'>, job: string, result: TaskResult): string {
  return sealText(seal, `result ${job}`, JSON.stringify(result));
}

export function openResult({ seal }: Pick<Fleet, 'seal'>, job: string, sealed: string): TaskResult | null {
  const text = openText(seal, `result ${job}`, sealed);
  return text === null ? null : taskResultSchema.parse(JSON.parse(text));
}

export async function saveBatch({ redis, seal }: Fleet, batch: QueuedBatch): Promise<void> {
  const sealed = sealText(seal, `batch ${batch.id}`, JSON.stringify(batch));
  await redis.hset(fleetKeys.batches, batch.id, sealed);
}

export async function readBatches({ redis, seal }: Fleet): Promise<QueuedBatch[]> {
  const all = Object.entries(await redis.hgetall(fleetKeys.batches));
  return all
    .flatMap(([id, sealed]) => openBatch(seal, id, sealed) ?? [])
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** Null if there is none, or it belongs to another key. */
export async function findBatch({ redis, seal }: Fleet, id: string): Promise<QueuedBatch | null> {
  const sealed = await redis.hget(fleetKeys.batches, id);
  return sealed === null ? null : openBatch(seal, id, sealed);
}

/** The same, for a batch that the user named. */
export async function readBatch(fleet: Fleet, id: string): Promise<QueuedBatch> {
  const batch = await findBatch(fleet, id);
  if (!batch)
    throw new UserError(`There is no batch ${id} in the queue.`, 'Run `aca fleet status` to see all.');
  return batch;
}

function openBatch(seal: Fleet['seal'], id: string, sealed: string): QueuedBatch | null {
  const text = openText(seal, `batch ${id}`, sealed);
  return text === null ? null : queuedBatchSchema.parse(JSON.parse(text));
}
