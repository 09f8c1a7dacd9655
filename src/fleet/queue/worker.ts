import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Queue, Worker } from 'bullmq';
import { following, onAbort, pause, unlessAborted } from '../../lib/async/abort.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { version } from '../../lib/version.ts';
import { BudgetServer } from '../../observability/spending/budget-server.ts';
import type { TaskPlace } from '../run-options.ts';
import { type AttemptDeps, type AttemptEnd, attempt } from './attempt.ts';
import { Breaker } from './breaker.ts';
import { bullOptions, type Fleet } from './fleet.ts';
import { beat, heartbeatMs, leave, type WorkerState } from './heartbeat.ts';
import { WorkerFolders } from './leftovers.ts';
import { openTask } from './messages.ts';
import { SpareTree } from './spare-tree.ts';
import { TaskWaiter } from './wake.ts';

export type FleetWorkerOptions = {
  fleet: Fleet;
  labels: readonly string[];
  concurrency: number;
  /** Private folders for what is needed during tasks are created in it. */
  dataRoot: string;
  place: AttemptDeps['place'];
  run: AttemptDeps['run'];
  /** A worker that has not renewed its tasks for so long has lost them. */
  leaseMs: number;
  /** Aborted: no more tasks are taken. */
  drain: AbortSignal;
  /** Aborted: running tasks are handed back. */
  leaving: AbortSignal;
  onEvent(event: WorkerEvent): void;
};

export type WorkerEvent =
  | { type: 'started'; task: string; waitMs: number }
  | { type: 'ended'; task: string; end: AttemptEnd; ms: number }
  | { type: 'draining'; running: number }
  | { type: 'paused'; ms: number; reason: string }
  | { type: 'trouble'; text: string };

type Taken = { job: Job; token: string };

/** A worker that has read no task pauses, and others take what it could not read. */
const UNREADABLE_MS = 500;
/** A task with another key than those before it. */
const FOREIGN_MS = 60_000;
const WATCH_MS = 500;
/** What other workers on this machine left is removed every so many leases. */
const CLEAN_LEASES = 20;
/** How long a worker that shall leave at once waits for a server that does not answer. */
const UNREACHABLE_MS = 5_000;
/** BullMQ's own limit for stalled tasks is not used: the fence counts deaths, and says why a task is given up. */
const NO_LIMIT = 1_000_000;

/** Takes tasks whose labels it has, and runs them until it is told to leave. */
export class FleetWorker {
  /** Says nothing about this machine: others can see it on the server. */
  readonly id = `w-${randomBytes(6).toString('hex')}`;
  readonly #options: FleetWorkerOptions;
  readonly #startedAt = new Date().toISOString();
  /** By token. `isBusy`: its run has not succeeded yet; afterwards its changes and its result are kept. */
  readonly #running = new Map<string, { task: string; isBusy: boolean }>();
  /** Called when one of them may be replaced by another. */
  #onFree: () => void = () => undefined;
  /** Those that run, or whose worktrees are being removed. */
  readonly #leaving = new Set<Promise<void>>();
  readonly #workers = new Map<string, Worker>();
  #sources: { batch: string; found: TaskPlace['sources'] } = { batch: '', found: new Map() };
  readonly #draining: ReturnType<typeof following>;
  readonly #gone = new AbortController();
  readonly #waiter: TaskWaiter;
  readonly #breaker: Breaker;
  #unreachableSince: number | null = null;
  #count = 0;
  #isBeating = false;

  constructor(options: FleetWorkerOptions) {
    this.#options = options;
    this.#draining = following(options.drain);
    this.#waiter = new TaskWaiter(options.fleet, this.id);
    this.#breaker = new Breaker({ concurrency: options.concurrency, firstMs: options.leaseMs });
  }

  async run(): Promise<void> {
    const { fleet, leaseMs, onEvent, dataRoot, place } = this.#options;
    const { signal } = this.#draining;
    onAbort(signal, () => onEvent({ type: 'draining', running: this.#running.size }));
    const folders = new WorkerFolders(dataRoot, fleet);
    await folders.clean(place.trees);
    const own = await folders.claim(this.id);
    const spare = new SpareTree(this.id, folders);
    const budgets = await BudgetServer.start();
    await this.#beat();
    const clean = () => folders.clean(place.trees).catch(this.#trouble);
    const timers = [
      setInterval(() => void this.#beat(), heartbeatMs(leaseMs)),
      setInterval(() => void clean(), CLEAN_LEASES * leaseMs),
    ];
    const watch = setInterval(() => this.#giveUp(), WATCH_MS);
    try {
      while ((!signal.aborted || this.#running.size > 0) && !this.#gone.signal.aborted) {
        const queues = this.#isFree ? await unlessAborted(this.#queues(), this.#gone.signal) : undefined;
        const next = queues && (await unlessAborted(this.#next(queues), this.#gone.signal));
        if (next) this.#start(next, { folder: own.folder, folders, spare, budgets });
        else if (queues) {
          await spare.discard();
          await unlessAborted(this.#waiter.wait(queues, signal), this.#gone.signal);
        } else await this.#rest();
      }
    } finally {
      this.#waiter.close();
      for (const timer of timers) clearInterval(timer);
      const gone = this.#gone.signal;
      await unlessAborted(Promise.all(this.#leaving), gone);
      await spare.discard();
      budgets.close();
      own.release();
      // Without the server, its state there expires by itself.
      if (!gone.aborted) await unlessAborted(this.#leave(folders), gone);
      clearInterval(watch);
    }
  }

  /** A worker that shall leave does not wait for ever for a server that does not answer. */
  #giveUp(): void {
    const { fleet, leaving } = this.#options;
    const isIdle = this.#draining.signal.aborted && this.#running.size === 0;
    if (!fleet.isAway() || !(isIdle || leaving.aborted)) this.#unreachableSince = null;
    else this.#unreachableSince ??= performance.now();
    if (this.#unreachableSince !== null && performance.now() - this.#unreachableSince > UNREACHABLE_MS)
      this.#gone.abort(new Error('The Redis server does not answer, or refuses to write.'));
  }

  async #leave(folders: WorkerFolders): Promise<void> {
    const { fleet, place } = this.#options;
    await Promise.all([...this.#workers.values()].map((worker) => worker.close(true)));
    await folders.clean(place.trees);
    await leave(fleet, this.id);
  }

  /** Tasks whose results are kept do not count, unless there are as many of them: the store may not answer. */
  get #isFree(): boolean {
    const { most } = this.#breaker;
    const busy = [...this.#running.values()].filter(({ isBusy }) => isBusy).length;
    return !this.#draining.signal.aborted && busy < most && this.#running.size < 2 * most;
  }

  /** Until a task or a pause ends, or no more are wanted. */
  async #rest(): Promise<void> {
    const { signal } = this.#draining;
    const until = signal.aborted ? this.#gone.signal : signal;
    const { leftMs } = this.#breaker;
    if (this.#running.size === 0 && (signal.aborted || leftMs === 0)) return;
    const freed = new Promise<void>((resolve) => {
      this.#onFree = resolve;
    });
    const rest = following(until);
    const over = leftMs > 0 ? [pause(leftMs, rest.signal)] : [];
    await unlessAborted(Promise.race([freed, ...over]), until);
    rest.abort();
    rest.stop();
  }

  /** Those whose tasks it can do. */
  async #queues(): Promise<Queue[]> {
    const { fleet, labels } = this.#options;
    return (
      (await fleet.queues())
        .filter((queue) => queue.labels.every((label) => labels.includes(label)))
        // Few workers can do what needs many labels.
        .sort((a, b) => b.labels.length - a.labels.length)
        .map(({ queue }) => queue)
    );
  }

  async #next(queues: readonly Queue[]): Promise<Taken | undefined> {
    for (const { name } of queues) {
      const token = `${this.id}-${++this.#count}`;
      const job: Job | undefined = await (await this.#worker(name)).getNextJob(token, { block: false });
      if (job) return { job, token };
    }
    return undefined;
  }

  #start({ job, token }: Taken, own: Pick<AttemptDeps, 'folder' | 'folders' | 'spare' | 'budgets'>): void {
    const { fleet, leaseMs, place, run, leaving, onEvent } = this.#options;
    const opened = openTask(fleet, job.id ?? '', job.data);
    const task =
      opened.type === 'task' ? `${opened.queued.batch}/${opened.queued.task.id}` : `Job ${job.id ?? ''}`;
    const unreadableMs = this.#breaker.canRead ? FOREIGN_MS : UNREADABLE_MS;
    const started = performance.now();
    this.#running.set(token, { task, isBusy: true });
    const onDelivery = () => {
      this.#running.set(token, { task, isBusy: false });
      this.#onFree();
    };
    const onEnd = (end: AttemptEnd) => {
      // The next task starts while the worktree of this one is removed.
      if (!this.#running.delete(token)) return;
      onEvent({ type: 'ended', task, end, ms: performance.now() - started });
      const ms = this.#breaker.take(end);
      if (ms !== null) {
        onEvent({ type: 'paused', ms, reason: this.#breaker.trouble ?? '' });
        void this.#beat();
      }
      this.#onFree();
    };
    onEvent({ type: 'started', task, waitMs: Math.max(0, Date.now() - (job.timestamp || Date.now())) });
    const onTrouble = (text: string) => onEvent({ type: 'trouble', text: `${task}: ${text}` });
    const sourcesOf = (batch: string) => this.#sourcesOf(batch);
    const deps = {
      fleet,
      worker: `${this.id} (${hostname()})`,
      ...own,
      place,
      run,
      leaseMs,
      unreadableMs,
      leaving,
      onTrouble,
      sourcesOf,
      onDelivery,
      onEnd,
    };
    const done: Promise<void> = attempt({ job, token, opened }, deps)
      // The task is delivered again once its lock has expired.
      .then(onEnd, (error: Error) => this.#trouble(new Error(`${task}: ${error.message}`)))
      .finally(() => {
        this.#running.delete(token);
        this.#onFree();
        this.#leaving.delete(done);
      });
    this.#leaving.add(done);
  }

  /** Those of the last batch: it may have fetched its repositories anew since. */
  #sourcesOf(batch: string): TaskPlace['sources'] {
    if (this.#sources.batch !== batch) this.#sources = { batch, found: new Map() };
    return this.#sources.found;
  }

  readonly #trouble = (error: Error): void => this.#options.onEvent({ type: 'trouble', text: error.message });

  async #worker(queue: string): Promise<Worker> {
    const known = this.#workers.get(queue);
    if (known) return known;
    const { fleet, leaseMs } = this.#options;
    const { Worker } = await fleet.bull();
    const worker = new Worker(queue, null, {
      ...bullOptions(fleet.redis),
      autorun: false,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      maxStalledCount: NO_LIMIT,
    });
    // A lost connection is reported once, by the fleet, which may hear of it later.
    worker.on('error', (error) => {
      if (!fleet.isAway() && !isErrno(error)) this.#trouble(error);
    });
    this.#workers.set(queue, worker);
    // Returns tasks of dead workers to the queue.
    await worker.startStalledCheckTimer();
    return worker;
  }

  #state(): WorkerState {
    const { labels, concurrency } = this.#options;
    return {
      id: this.id,
      host: hostname(),
      pid: process.pid,
      version,
      labels: [...labels],
      concurrency,
      startedAt: this.#startedAt,
      running: [...this.#running.values()].map(({ task }) => task),
      isDraining: this.#draining.signal.aborted,
      trouble: this.#breaker.trouble,
    };
  }

  async #beat(): Promise<void> {
    const { fleet, leaseMs } = this.#options;
    // The one before still waits for the server.
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      const { isAskedToDrain } = await beat(fleet, this.#state(), heartbeatMs(leaseMs));
      if (isAskedToDrain && !this.#draining.signal.aborted)
        this.#draining.abort(new Error('Asked to drain.'));
    } catch (error) {
      this.#trouble(error as Error);
    }
    this.#isBeating = false;
  }
}
