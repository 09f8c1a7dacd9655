import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { version } from '../../lib/version.ts';
import { taskResultSchema, taskSchema } from '../task.ts';
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

/** A job: references only, never files or logs. `version` is that of the program that queued it. */
const queuedTaskSchema = z.object({
  version: z.string(),
  batch: z.string(),
  task: taskSchema,
  session: z.string(),
});

export type QueuedTask = z.infer<typeof queuedTaskSchema>;

/** `stored`: the names in the store end with it; nothing is there without it. */
const queuedResultSchema = taskResultSchema.extend({ stored: z.string().optional() });

export type QueuedResult = z.infer<typeof queuedResultSchema>;

/** One delivery of a task, for `aca fleet logs`. */
export type Attempt = { at: string; worker: string; fence: number; end: string };

/** The name of a task's job. */
export function jobOf({ seal }: Pick<Fleet, 'seal'>, batch: string, task: string): string {
  return seal.nameOf(`task ${batch}/${task}`).slice(0, 32);
}

export function sealTask(
  { seal }: Pick<Fleet, 'seal'>,
  job: string,
  task: Omit<QueuedTask, 'version'>,
): { sealed: string } {
  return { sealed: sealText(seal, job, JSON.stringify({ version, ...task })) };
}

export type OpenedTask =
  | { type: 'task'; queued: QueuedTask }
  | { type: 'unreadable'; reason: string }
  /** The server has lost all of it but its name. */
  | { type: 'lost' };

export function openTask({ seal }: Pick<Fleet, 'seal'>, job: string, data: unknown): OpenedTask {
  const { sealed } = data as { sealed?: unknown };
  if (typeof sealed !== 'string') return { type: 'lost' };
  const text = openText(seal, job, sealed);
  if (text === null)
    return {
      type: 'unreadable',
      reason: 'It was queued with another AI_ASSISTANT_REDIS_KEY. Use the same key everywhere.',
    };
  const json = JSON.parse(text);
  const parsed = queuedTaskSchema.safeParse(json);
  if (parsed.success) return { type: 'task', queued: parsed.data };
  const other = z.object({ version: z.string() }).safeParse(json).data?.version ?? 'another version';
  return {
    type: 'unreadable',
    reason: `It was queued by aca ${other}, and this worker is aca ${version}. Use the same version everywhere.`,
  };
}

export function sealResult({ seal }: Pick<Fleet, 'seal'>, job: string, result: QueuedResult): string {
  return sealText(seal, `result ${job}`, JSON.stringify(result));
}

export function openResult({ seal }: Pick<Fleet, 'seal'>, job: string, sealed: string): QueuedResult | null {
  const text = openText(seal, `result ${job}`, sealed);
  return text === null ? null : (queuedResultSchema.safeParse(JSON.parse(text)).data ?? null);
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

/** How many batches belong to another key or version. */
export async function countUnreadable({ redis, seal }: Fleet): Promise<number> {
  const all = Object.entries(await redis.hgetall(fleetKeys.batches));
  return all.filter(([id, sealed]) => openBatch(seal, id, sealed) === null).length;
}

/** Null if there is none, or it belongs to another key or version. */
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
  return text === null ? null : (queuedBatchSchema.safeParse(JSON.parse(text)).data ?? null);
}
