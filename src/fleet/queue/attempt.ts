import { rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Job } from 'bullmq';
import { budgetOwner, openRedisBudget, settleCallsOf } from '../../cache/redis-budget.ts';
import { parseLimits } from '../../contract/limit.ts';
import { following } from '../../lib/async/abort.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { BudgetServer, ServedBudget } from '../../observability/spending/budget-server.ts';
import type { RunTaskOptions, TaskPlace } from '../run-options.ts';
import type { runTask } from '../run-task.ts';
import { describeBudget } from '../shared-budget.ts';
import { isTrouble, type TaskResult } from '../task.ts';
import { clonesFolder, treePlaces, treesFolder } from '../task-tree.ts';
import { failedResult } from './failed-result.ts';
import { type Fleet, fleetKeys, sealText } from './fleet.ts';
import { keepResult } from './keep-result.ts';
import type { WorkerFolders } from './leftovers.ts';
import {
  type Attempt,
  findBatch,
  type OpenedTask,
  type QueuedBatch,
  type QueuedResult,
  type QueuedTask,
  sealResult,
} from './messages.ts';
import { publishTo } from './publish.ts';
import { type Delivery, endDelivery, finishTask, isCurrent, startDelivery } from './scripts.ts';
import type { SpareTree } from './spare-tree.ts';

export type AttemptDeps = {
  fleet: Fleet;
  /** For logs, which are sealed. */
  worker: string;
  /** Of the worker itself, for what is needed during a task. */
  folder: string;
  /** Know what is on this disk. */
  folders: WorkerFolders;
  place: Pick<TaskPlace, 'program' | 'keeper' | 'env' | 'trees'>;
  leaseMs: number;
  /** Until another worker may try a task that this one cannot read. */
  unreadableMs: number;
  run: typeof runTask;
  /** Repositories and commits that earlier tasks of a batch found. */
  sourcesOf(batch: string): TaskPlace['sources'];
  spare: SpareTree;
  /** Through which tasks take part in the budgets of their batches. */
  budgets: BudgetServer;
  /** Called when the run has succeeded, and only its changes and its result are still being kept. */
  onDelivery(): void;
  /** Called when the end of the delivery is recorded, and only its worktree is still being removed. */
  onEnd(end: AttemptEnd): void;
  /** Aborted when running tasks shall be handed back. */
  leaving: AbortSignal;
  /** Gets a sentence about what goes wrong meanwhile. */
  onTrouble(text: string): void;
};

/** How a delivery ended, for people and metrics. */
export type AttemptEnd =
  | { type: 'finished'; result: TaskResult }
  | { type: 'dead letter'; result: TaskResult }
  | { type: 'again'; failure: TaskResult['failure']; reason: string }
  | { type: 'handed back' }
  | { type: 'taken over' }
  | { type: 'skipped'; reason: string; isUnreadable?: true };

/** A task whose workers died so often, or which failed so often, is not delivered again. */
const MAX_DEATHS = 5;
const MAX_FAILURES = 3;
const BACKOFF_MS = 2_000;

type Delivered = {
  deps: AttemptDeps;
  job: Job;
  id: string;
  token: string;
  queued: QueuedTask;
  delivery: Delivery;
};

/** Runs a delivered task to its end, whatever that is. */
export async function attempt(
  { job, token, opened }: { job: Job; token: string; opened: OpenedTask },
  deps: AttemptDeps,
): Promise<AttemptEnd> {
  const { fleet } = deps;
  const id = job.id ?? '';
  if (opened.type === 'unreadable') {
    await job.moveToDelayed(Date.now() + deps.unreadableMs, token);
    return { type: 'skipped', reason: opened.reason, isUnreadable: true };
  }
  if (opened.type === 'lost') {
    await job.moveToCompleted('', token, false).catch(unlessRemoved);
    await job.remove().catch(unlessRemoved);
    return { type: 'skipped', reason: 'The Redis server has lost it.' };
  }
  const { queued } = opened;
  const [delivery, batch] = await Promise.all([
    startDelivery(fleet, queued.batch, { job: id, token }),
    findBatch(fleet, queued.batch),
  ]);
  const delivered = { deps, job, id, token, queued, delivery };
  if (!batch) return drop(delivered);
  if (delivery.state !== 'open') {
    // Its worker was killed after it had given it up.
    if (delivery.state === 'dead') await moveToDead(delivered);
    else await job.moveToCompleted('', token, false);
    return { type: 'skipped', reason: 'It was done already.' };
  }
  return deliver(delivered, batch);
}

async function drop({ deps: { fleet }, job, id, token }: Delivered): Promise<AttemptEnd> {
  await job.moveToCompleted('', token, false).catch(unlessRemoved);
  await fleet.redis.unlink(fleetKeys.task(id), fleetKeys.log(id));
  return { type: 'skipped', reason: 'Its batch was removed.' };
}

async function deliver(delivered: Delivered, batch: QueuedBatch): Promise<AttemptEnd> {
  const { deps, id, queued, delivery } = delivered;
  const { fleet, leaving } = deps;
  const startedAt = new Date();
  const failed = (failure: TaskResult['failure'], reason: string) =>
    failedResult(queued, { failure, reason, startedAt });
  const [isOver] = await Promise.all([
    isCancelled(fleet, queued.batch, id),
    settleCalls(delivered, delivery.fence),
  ]);
  if (isOver) return finish(delivered, failed('interrupted', 'Cancelled.'));
  if (delivery.deaths >= MAX_DEATHS)
    return bury(delivered, failed('crash', `Its worker died or stalled ${delivery.deaths} times.`));
  const lease = keepLease(delivered);
  const budget = serveBudget(delivered, batch);
  const settle = async (result: TaskResult): Promise<AttemptEnd> => {
    // What the run did not report by now counts in full.
    budget.end();
    await settleCalls(delivered, delivery.fence + 1);
    if (lease.lost.aborted || result.failure === 'fenced') return { type: 'taken over' };
    if (lease.isCancelled() && !(await findBatch(fleet, batch.id))) return await drop(delivered);
    if (lease.isCancelled()) return await finish(delivered, { ...result, reason: 'Cancelled.' });
    if (result.failure === 'interrupted' && leaving.aborted)
      return await again(delivered, { end: { type: 'handed back' }, how: 'handed back', delayMs: 0 });
    if (willRetry(delivery, result)) {
      const { failure, reason = '' } = result;
      const end = { type: 'again', failure, reason } as const;
      return await again(delivered, { end, how: 'failed', delayMs: BACKOFF_MS * 2 ** delivery.failures });
    }
    return keep(delivered, batch, { result, lost: lease.lost });
  };
  let end: AttemptEnd | undefined;
  let isTreeKept = false;
  const onResult = async (result: TaskResult) => {
    // What fails is tried again below; the worktree is removed in any case.
    end = await settle(result).catch(() => undefined);
    if (end) deps.onEnd(end);
  };
  try {
    const deed = { signal: lease.signal, address: budget.address, onResult };
    const result = await run(delivered, batch, deed).catch((error: Error) => failed('setup', error.message));
    isTreeKept = result.worktree !== undefined;
    return end ?? (await settle(result));
  } finally {
    budget.end();
    lease.stop();
    leaveDisk(delivered, { isTreeKept });
  }
}

/** The result is final, unless another worker has taken over. */
async function keep(
  delivered: Delivered,
  batch: QueuedBatch,
  { result, lost }: { result: TaskResult; lost: AbortSignal },
): Promise<AttemptEnd> {
  const { deps, id, token } = delivered;
  if (!(await isCurrent(deps.fleet, id, token))) return { type: 'taken over' };
  const { env } = deps.place;
  const kept = await keepResult(result, { batch, token, env, signal: lost, onTrouble: deps.onTrouble });
  return isTrouble(kept) ? bury(delivered, kept) : finish(delivered, kept);
}

/** Not if only its changes could not be kept: another worker would have to run it again. */
function willRetry({ failures }: Delivery, result: Pick<TaskResult, 'failure'>): boolean {
  return isTrouble(result) && result.failure !== 'changes' && failures + 1 < MAX_FAILURES;
}

/** The task will be delivered again, unless another worker has it. */
async function again(
  delivered: Delivered,
  { end, how, delayMs }: { end: AttemptEnd; how: 'failed' | 'handed back'; delayMs: number },
): Promise<AttemptEnd> {
  const { deps, id, job, token } = delivered;
  const entry = logEntry(delivered, end);
  if (!(await endDelivery(deps.fleet, id, { token, how, entry }))) return { type: 'taken over' };
  await job.moveToDelayed(Date.now() + delayMs, token).catch(unlessRemoved);
  return end;
}

async function run(
  { deps, id, token, queued, delivery }: Delivered,
  batch: QueuedBatch,
  {
    signal,
    address,
    onResult,
  }: Required<Pick<RunTaskOptions, 'signal' | 'onResult'>> & Pick<ServedBudget, 'address'>,
): Promise<TaskResult> {
  const { fleet, place, folder, folders } = deps;
  const { task, session } = queued;
  const { fence } = delivery;
  const name = `${id}-${fence}`;
  const own = path.join(folder, name);
  const disk = { ...place, batch: batch.id };
  folders.note(batch.id, { batch: batch.id, job: null, worktrees: [], clones: clonesFolder(disk) });
  folders.note(name, { batch: batch.id, job: id, worktrees: treePlaces(task, disk, fence), clones: null });
  const { limits, quotas = {} } = batch;
  const shared = { ...(limits !== undefined && { limits }), quotas, place: address };
  const budget = describeBudget(path.join(own, 'budget.json'), shared);
  const { source } = task;
  const taskPlace = {
    ...disk,
    patches: own,
    changes: batch.changes,
    trust: false,
    sources: deps.sourcesOf(batch.id),
  };
  const prepareNext = async () => {
    const queue = await fleet.queue(task.labels);
    if ((await queue.getWaitingCount()) > 0) await deps.spare.prepare(source, taskPlace);
  };
  return deps.run(task, {
    place: taskPlace,
    takeSpare: () => deps.spare.take(source, taskPlace),
    onEvent(event) {
      if (event.type === 'note') deps.onTrouble(event.text);
      // What fails is tried again when that task starts.
      else prepareNext().catch(() => undefined);
    },
    onDelivery: deps.onDelivery,
    session: { id: session, resume: fence > 1 },
    signal,
    fence: { token: fence, isCurrent: () => isCurrent(fleet, id, token) },
    willRetry: (failure) => willRetry(delivery, { failure }),
    budget: { ...budget, ...(batch.traceparent !== undefined && { TRACEPARENT: batch.traceparent }) },
    ...(source.type === 'repository' && {
      publish: publishTo(source.repository, { fleet, job: id, env: place.env, signal }),
    }),
    onResult,
  });
}

function leaveDisk(
  { deps, id, queued: { task }, delivery }: Delivered,
  { isTreeKept }: { isTreeKept: boolean },
): void {
  const { place, folder, folders, onTrouble } = deps;
  const name = `${id}-${delivery.fence}`;
  try {
    rmSync(path.join(folder, name), { recursive: true, force: true });
    if (isTreeKept) folders.handOver(name);
    else folders.forget(name);
  } catch (error) {
    // What is left is removed when the worker starts again.
    onTrouble((error as Error).message);
  }
  // Another task may use it.
  if (place.trees === undefined) unlessErrno('any', null, () => rmdirSync(treesFolder(task.source, place)));
}

/** The result counts. The submitter may remove everything of the task from here on. */
async function finish(delivered: Delivered, result: QueuedResult): Promise<AttemptEnd> {
  const end: AttemptEnd = { type: 'finished', result };
  if (!(await isRecorded(delivered, end, result))) return { type: 'taken over' };
  await delivered.job.moveToCompleted('', delivered.token, false).catch(unlessRemoved);
  return end;
}

/** Into the dead-letter list: the failed jobs of the queue. */
async function bury(delivered: Delivered, result: QueuedResult): Promise<AttemptEnd> {
  const end: AttemptEnd = { type: 'dead letter', result };
  if (!(await isRecorded(delivered, end, result))) return { type: 'taken over' };
  await moveToDead(delivered);
  return end;
}

/** The server gets neither the reason nor paths of this machine. */
async function moveToDead({ job, token }: Delivered): Promise<void> {
  const error = new Error('given up');
  error.stack = '';
  await job.moveToFailed(error, token, false).catch(unlessRemoved);
}

/** False if another worker has taken the task over. */
async function isRecorded(delivered: Delivered, end: AttemptEnd, result: QueuedResult): Promise<boolean> {
  const { deps, id, token, queued } = delivered;
  const { fleet } = deps;
  const sealed = sealResult(fleet, id, result);
  const isDead = end.type === 'dead letter';
  const entry = logEntry(delivered, end);
  return finishTask(fleet, { batch: queued.batch, job: id, token, sealed, isDead, entry });
}

/** Its submitter has the result, and has removed the job. */
function unlessRemoved(error: Error): void {
  if (!/missing (key|lock)/i.test(error.message)) throw error;
}

/** Renews the lock of the task. Its signal is aborted when the lock is lost, the task cancelled or the worker leaves. */
function keepLease({ deps, job, id, token, queued }: Delivered) {
  const { fleet, leaseMs, leaving } = deps;
  const running = following(leaving);
  const lost = new AbortController();
  let cancelled = false;
  let isBusy = false;
  let renewedAt = performance.now();
  const renew = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      if ((await job.extendLock(token, leaseMs)) !== 1) lost.abort(new Error('The task was taken over.'));
      renewedAt = performance.now();
      cancelled = await isCancelled(fleet, queued.batch, id);
    } catch {
      // The server may answer again before the lease ends.
      if (performance.now() - renewedAt > leaseMs) lost.abort(new Error('The task was taken over.'));
    }
    isBusy = false;
    if (lost.signal.aborted) running.abort(lost.signal.reason);
    else if (cancelled) running.abort(new Error('Cancelled.'));
  };
  const timer = setInterval(() => void renew(), leaseMs / 3);
  return {
    signal: running.signal,
    lost: lost.signal,
    isCancelled: () => cancelled,
    stop() {
      clearInterval(timer);
      running.stop();
    },
  };
}

/** Also if the whole batch was removed. */
async function isCancelled({ redis }: Fleet, batch: string, job: string): Promise<boolean> {
  const [found, isThere] = await Promise.all([
    redis.smismember(fleetKeys.batch(batch).cancelled, 'all', job),
    redis.hexists(fleetKeys.batches, batch),
  ]);
  return found.includes(1) || isThere === 0;
}

function logEntry({ deps, id, delivery }: Delivered, end: AttemptEnd): string {
  const words = 'reason' in end ? `${end.type}: ${end.reason}` : endWords(end);
  const entry: Attempt = {
    at: new Date().toISOString(),
    worker: deps.worker,
    fence: delivery.fence,
    end: words,
  };
  return sealText(deps.fleet.seal, fleetKeys.log(id), JSON.stringify(entry));
}

function endWords(end: Exclude<AttemptEnd, { reason: string }>): string {
  if (!('result' in end)) return end.type;
  const { status, failure, reason } = end.result;
  return [end.type, status, failure, reason].filter(Boolean).join(': ');
}

/** Lets the task reserve what its model calls cost, as this delivery. */
function serveBudget({ deps, id, delivery: { fence } }: Delivered, batch: QueuedBatch): ServedBudget {
  const { limits, quotas = {} } = batch;
  return deps.budgets.serve(
    openRedisBudget({
      redis: deps.fleet.redis,
      prefix: fleetKeys.batch(batch.id).budget,
      pacePrefix: fleetKeys.pace,
      owner: budgetOwner(id, fence),
      // With limits that cannot be read, no task starts.
      limits: (limits !== undefined && parseLimits(limits)) || [],
      quotas,
    }),
  );
}

/** Of deliveries before this one: nobody can say what they cost. */
function settleCalls({ deps: { fleet }, id, queued }: Delivered, before: number): Promise<void> {
  const place = { redis: fleet.redis, prefix: fleetKeys.batch(queued.batch).budget };
  return settleCallsOf({ job: id, before }, place);
}
