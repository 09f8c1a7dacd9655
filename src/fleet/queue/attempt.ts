import { rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Job } from 'bullmq';
import { settleCallsOf } from '../../cache/redis-budget.ts';
import { following } from '../../lib/async/abort.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { pushBranch, remoteCommit } from '../../sandbox/push-branch.ts';
import type { Publish, TaskPlace } from '../run-options.ts';
import { runTask } from '../run-task.ts';
import { describeBudget } from '../shared-budget.ts';
import { openStore, storeNames } from '../store/result-store.ts';
import type { TaskResult } from '../task.ts';
import { treesFolder } from '../task-tree.ts';
import { isRemote } from '../tasks/complete-task.ts';
import { type Fleet, fleetKeys, sealText } from './fleet.ts';
import {
  type Attempt,
  findBatch,
  openTask,
  type QueuedBatch,
  type QueuedTask,
  sealResult,
} from './messages.ts';
import { type Delivery, endDelivery, finishTask, isCurrent, startDelivery } from './scripts.ts';

export type AttemptDeps = {
  fleet: Fleet;
  worker: string;
  /** Of the worker itself, for what is needed during a task. */
  folder: string;
  place: Pick<TaskPlace, 'program' | 'keeper' | 'env' | 'trees'>;
  leaseMs: number;
  /** Aborted when running tasks shall be handed back. */
  leaving: AbortSignal;
};

/** How a delivery ended, for people and metrics. */
export type AttemptEnd =
  | { type: 'finished'; result: TaskResult }
  | { type: 'dead letter'; result: TaskResult }
  | { type: 'again'; reason: string }
  | { type: 'handed back' }
  | { type: 'taken over' }
  | { type: 'skipped'; reason: string };

/** A task whose workers died so often, or which failed so often, is not delivered again. */
const MAX_DEATHS = 5;
const MAX_FAILURES = 3;
const RETRIED = new Set<TaskResult['failure']>(['crash', 'setup', 'model']);
const BACKOFF_MS = 2_000;
const OTHER_KEY_MS = 60_000;
/** Longer texts are in the store. */
const MAX_ANSWER = 500;
const MAX_LOG = 50;

type Delivered = {
  deps: AttemptDeps;
  job: Job;
  id: string;
  token: string;
  queued: QueuedTask;
  delivery: Delivery;
};

/** Runs a delivered task to its end, whatever that is. */
export async function attempt(job: Job, token: string, deps: AttemptDeps): Promise<AttemptEnd> {
  const { fleet } = deps;
  const id = job.id ?? '';
  const queued = openTask(fleet, id, job.data);
  if (!queued) {
    await job.moveToDelayed(Date.now() + OTHER_KEY_MS, token);
    return { type: 'skipped', reason: 'A task was queued with another AI_ASSISTANT_REDIS_KEY.' };
  }
  const delivery = await startDelivery(fleet, queued.batch, id);
  const delivered = { deps, job, id, token, queued, delivery };
  const batch = await findBatch(fleet, queued.batch);
  if (delivery.isDone || !batch) {
    await job.moveToCompleted('', token, false);
    if (!batch) await fleet.redis.unlink(fleetKeys.task(id), fleetKeys.log(id));
    return { type: 'skipped', reason: batch ? 'It was done already.' : 'Its batch was removed.' };
  }
  await settleCallsOf(ownerOf(id, delivery.fence - 1), {
    redis: fleet.redis,
    prefix: fleetKeys.batch(queued.batch).budget,
  });
  return deliver(delivered, batch);
}

async function deliver(delivered: Delivered, batch: QueuedBatch): Promise<AttemptEnd> {
  const { deps, id, queued, delivery } = delivered;
  const { fleet, leaving } = deps;
  const startedAt = new Date();
  const failed = (failure: TaskResult['failure'], reason: string) =>
    failedResult(queued, { failure, reason, startedAt });
  if (await isCancelled(fleet, queued.batch, id))
    return finish(delivered, failed('interrupted', 'Cancelled.'));
  if (delivery.deaths >= MAX_DEATHS)
    return bury(delivered, failed('crash', `Its worker died or stalled ${delivery.deaths} times.`));
  const lease = keepLease(delivered);
  let result: TaskResult;
  try {
    result = await run(delivered, batch, lease.signal);
  } finally {
    lease.stop();
  }
  if (lease.isLost() || result.failure === 'fenced') return { type: 'taken over' };
  if (lease.isCancelled()) return finish(delivered, { ...result, reason: 'Cancelled.' });
  if (result.failure === 'interrupted' && leaving.aborted) {
    return again(delivered, { end: { type: 'handed back' }, how: 'handed back', delayMs: 0 });
  }
  if (!RETRIED.has(result.failure)) return finish(delivered, result);
  if (delivery.failures + 1 >= MAX_FAILURES) return bury(delivered, result);
  const delayMs = BACKOFF_MS * 2 ** delivery.failures;
  return again(delivered, { end: { type: 'again', reason: result.reason ?? '' }, how: 'failed', delayMs });
}

/** The task will be delivered again. */
async function again(
  delivered: Delivered,
  { end, how, delayMs }: { end: AttemptEnd; how: 'failed' | 'handed back'; delayMs: number },
): Promise<AttemptEnd> {
  const { deps, id, job, token, delivery } = delivered;
  await log(delivered, end);
  await endDelivery(deps.fleet, id, { fence: delivery.fence, how });
  await job.moveToDelayed(Date.now() + delayMs, token).catch(unlessRemoved);
  return end;
}

async function run(
  { deps, id, queued, delivery }: Delivered,
  batch: QueuedBatch,
  signal: AbortSignal,
): Promise<TaskResult> {
  const { fleet, place, folder } = deps;
  const { task, session } = queued;
  const { fence } = delivery;
  const own = path.join(folder, `${id}-${fence}`);
  const { limits, quotas = {} } = batch;
  const shared = {
    ...(limits !== undefined && { limits }),
    quotas,
    place: { redis: fleet.url, prefix: fleetKeys.batch(batch.id).budget, owner: ownerOf(id, fence) },
  };
  try {
    const budget = await describeBudget(path.join(own, 'budget.json'), shared);
    const { source } = task;
    const url = source.type === 'repository' && isRemote(source.repository) ? source.repository : null;
    const result = await runTask(task, {
      place: {
        ...place,
        batch: batch.id,
        patches: own,
        changes: batch.changes,
        trust: false,
        sources: new Map(),
      },
      session: { id: session, resume: fence > 1 },
      signal,
      fence: { token: fence, isCurrent: () => isCurrent(fleet, id, fence) },
      budget: { ...budget, ...(batch.traceparent !== undefined && { TRACEPARENT: batch.traceparent }) },
      ...(url !== null && { publish: publishTo(url, { fleet, id, env: place.env }) }),
    });
    return await stored(result, batch, place.env);
  } finally {
    // Whatever the run did not report counts in full.
    await settleCallsOf(ownerOf(id, fence), { redis: fleet.redis, prefix: fleetKeys.batch(batch.id).budget });
    rmSync(own, { recursive: true, force: true });
    // Another task may use it.
    if (place.trees === undefined) unlessErrno('any', null, () => rmdirSync(treesFolder(task.source, place)));
  }
}

/**
 * Pushes the branch of a task at most once, however many workers try: all deliveries expect the same old
 * commit there, and only the first push finds it.
 */
function publishTo(
  url: string,
  { fleet, id, env }: { fleet: Fleet; id: string; env: NodeJS.ProcessEnv },
): Publish {
  return async ({ gitDir, branch, commit }) => {
    const remote = { gitDir, url, branch, env };
    const key = fleetKeys.task(id);
    await fleet.redis.hsetnx(key, 'replaces', await remoteCommit(remote));
    const replaces = (await fleet.redis.hget(key, 'replaces')) ?? '';
    return pushBranch(remote, { commit, replaces });
  };
}

/** Puts what is large into the store. */
async function stored(result: TaskResult, batch: QueuedBatch, env: NodeJS.ProcessEnv): Promise<TaskResult> {
  const { patch, ...rest } = result;
  const short = {
    ...rest,
    answer: rest.answer.slice(0, MAX_ANSWER),
    checks: rest.checks.map((check) => ({ ...check, output: check.output.slice(-MAX_ANSWER) })),
  };
  if (batch.store === undefined || result.failure === 'interrupted') return short;
  const store = await openStore(batch.store, env);
  try {
    const names = storeNames(batch.id, result.task);
    if (patch !== undefined) await store.put(names.patch, { file: patch });
    if (result.session !== undefined)
      await store.put(names.session, {
        file: path.join(dataRoot(env), 'sessions', `${result.session}.jsonl`),
      });
    const full = { ...rest, ...(patch !== undefined && { patch: names.patch }) };
    await store.put(names.result, JSON.stringify(full));
    return { ...short, ...(patch !== undefined && { patch: names.patch }) };
  } catch (error) {
    return {
      ...short,
      status: 'failed',
      failure: 'setup',
      reason: `Could not write to the store: ${(error as Error).message}`,
    };
  } finally {
    store.close();
  }
}

/** The result counts. The submitter may remove everything of the task from here on. */
async function finish(delivered: Delivered, result: TaskResult): Promise<AttemptEnd> {
  const end: AttemptEnd = { type: 'finished', result };
  if (!(await isRecorded(delivered, end, result))) return { type: 'taken over' };
  await delivered.job.moveToCompleted('', delivered.token, false).catch(unlessRemoved);
  return end;
}

/** Into the dead-letter list: the failed jobs of the queue. */
async function bury(delivered: Delivered, result: TaskResult): Promise<AttemptEnd> {
  const end: AttemptEnd = { type: 'dead letter', result };
  if (!(await isRecorded(delivered, end, result))) return { type: 'taken over' };
  await delivered.job
    .moveToFailed(new Error(result.failure ?? 'failed'), delivered.token, false)
    .catch(unlessRemoved);
  return end;
}

/** False if another worker has taken the task over. */
async function isRecorded(delivered: Delivered, end: AttemptEnd, result: TaskResult): Promise<boolean> {
  const { deps, id, queued, delivery } = delivered;
  const { fleet } = deps;
  await log(delivered, end);
  const sealed = sealResult(fleet, id, result);
  return finishTask(fleet, { batch: queued.batch, job: id, fence: delivery.fence, sealed });
}

/** Its submitter has the result, and has removed the job. */
function unlessRemoved(error: Error): void {
  if (!/missing (key|lock)/i.test(error.message)) throw error;
}

/** Renews the lock of the task. Its signal is aborted when the lock is lost, the task cancelled or the worker leaves. */
function keepLease({ deps, job, id, token, queued }: Delivered) {
  const { fleet, leaseMs, leaving } = deps;
  const running = following(leaving);
  let isLost = false;
  let cancelled = false;
  let isBusy = false;
  const renew = async () => {
    if (isBusy) return;
    isBusy = true;
    const isHeld = await job.extendLock(token, leaseMs).then(
      (extended) => extended === 1,
      () => false,
    );
    if (!isHeld) isLost = true;
    else cancelled = await isCancelled(fleet, queued.batch, id);
    isBusy = false;
    if (isLost || cancelled) running.abort(new Error(isLost ? 'The task was taken over.' : 'Cancelled.'));
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  return {
    signal: running.signal,
    isLost: () => isLost,
    isCancelled: () => cancelled,
    stop() {
      clearInterval(timer);
      running.stop();
    },
  };
}

async function isCancelled({ redis }: Fleet, batch: string, job: string): Promise<boolean> {
  const found = await redis.smismember(fleetKeys.batch(batch).cancelled, 'all', job);
  return found.includes(1);
}

async function log({ deps, id, delivery }: Delivered, end: AttemptEnd): Promise<void> {
  const { redis, seal } = deps.fleet;
  const words = 'reason' in end ? `${end.type}: ${end.reason}` : endWords(end);
  const entry: Attempt = {
    at: new Date().toISOString(),
    worker: deps.worker,
    fence: delivery.fence,
    end: words,
  };
  const key = fleetKeys.log(id);
  await redis
    .multi()
    .rpush(key, sealText(seal, key, JSON.stringify(entry)))
    .ltrim(key, -MAX_LOG, -1)
    .exec();
}

function endWords(end: Exclude<AttemptEnd, { reason: string }>): string {
  if (!('result' in end)) return end.type;
  const { status, failure, reason } = end.result;
  return [end.type, status, failure, reason].filter(Boolean).join(': ');
}

/** Distinguishes the calls of each delivery. */
function ownerOf(job: string, fence: number): string {
  return `${job}/${fence}`;
}

function failedResult(
  { task, session }: QueuedTask,
  { failure, reason, startedAt }: { failure: TaskResult['failure']; reason: string; startedAt: Date },
): TaskResult {
  return {
    task: task.id,
    status: 'failed',
    failure,
    reason,
    answer: '',
    session,
    costUsd: 0,
    tokens: 0,
    turns: 0,
    startedAt: startedAt.toISOString(),
    durationMs: 0,
    checks: [],
    refusals: 0,
    filesChanged: 0,
    labels: task.labels,
    variables: task.variables,
  };
}
