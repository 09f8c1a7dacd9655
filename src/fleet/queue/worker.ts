import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Job, Worker } from 'bullmq';
import { following, onAbort, pause } from '../../lib/async/abort.ts';
import { clonesFolder } from '../task-tree.ts';
import { type AttemptDeps, type AttemptEnd, attempt } from './attempt.ts';
import { bullOptions, type Fleet } from './fleet.ts';
import { beat, leave, type WorkerState } from './heartbeat.ts';
import { openTask, readBatches } from './messages.ts';

export type FleetWorkerOptions = {
  fleet: Fleet;
  labels: readonly string[];
  concurrency: number;
  /** A private folder for what is needed during tasks. */
  folder: string;
  place: AttemptDeps['place'];
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
  | { type: 'trouble'; text: string };

const POLL_MS = 500;
/** BullMQ's own limit for stalled tasks is not used: the fence counts deaths, and says why a task is given up. */
const NO_LIMIT = 1_000_000;

/** Takes tasks whose labels it has, and runs them until it is told to leave. */
export class FleetWorker {
  readonly id = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #options: FleetWorkerOptions;
  readonly #startedAt = new Date().toISOString();
  /** By token: the task, and its end. */
  readonly #running = new Map<string, { task: string; ended: Promise<void> }>();
  readonly #workers = new Map<string, Worker>();
  readonly #batches = new Set<string>();
  readonly #draining: ReturnType<typeof following>;
  #count = 0;

  constructor(options: FleetWorkerOptions) {
    this.#options = options;
    this.#draining = following(options.drain);
  }

  async run(): Promise<void> {
    const { fleet, leaseMs, folder, onEvent } = this.#options;
    const { signal } = this.#draining;
    onAbort(signal, () => onEvent({ type: 'draining', running: this.#running.size }));
    await this.#beat();
    const timer = setInterval(() => void this.#beat(), leaseMs / 3);
    try {
      while (!signal.aborted || this.#running.size > 0) {
        if (!signal.aborted && this.#running.size < this.#options.concurrency && (await this.#take()))
          continue;
        await this.#rest();
      }
    } finally {
      clearInterval(timer);
      await Promise.all([...this.#workers.values()].map((worker) => worker.close(true)));
      await this.#removeClones();
      await leave(fleet, this.id);
      rmSync(this.#own(folder), { recursive: true, force: true });
    }
  }

  /** Repositories that were fetched here for batches that are over. */
  async #removeClones(): Promise<void> {
    const { fleet, place } = this.#options;
    const kept = new Set((await readBatches(fleet)).map(({ id }) => id));
    for (const batch of this.#batches)
      if (!kept.has(batch)) rmSync(clonesFolder({ ...place, batch }), { recursive: true, force: true });
  }

  #own(folder: string): string {
    return path.join(folder, this.id);
  }

  /** Until a task ends, or it is time to look for another one. */
  async #rest(): Promise<void> {
    const { signal } = this.#draining;
    const isFull = this.#running.size >= this.#options.concurrency;
    const ends = [...this.#running.values()].map(({ ended }) => ended);
    if (signal.aborted && ends.length === 0) return;
    // Spread over time, so that many workers do not ask at the same moment.
    const poll = pause(POLL_MS * (0.5 + Math.random()), signal).catch(() => undefined);
    await Promise.race(isFull || signal.aborted ? ends : [poll, ...ends]);
  }

  /** Starts a task; false if none fits. */
  async #take(): Promise<boolean> {
    const { fleet, labels } = this.#options;
    const fitting = (await fleet.queues())
      .filter((queue) => queue.labels.every((label) => labels.includes(label)))
      // Few workers can do what needs many labels.
      .sort((a, b) => b.labels.length - a.labels.length);
    for (const { queue } of fitting) {
      const token = `${this.id}:${++this.#count}`;
      const job: Job | undefined = await (await this.#worker(queue.name)).getNextJob(token, { block: false });
      if (!job) continue;
      this.#start(job, token);
      return true;
    }
    return false;
  }

  #start(job: Job, token: string): void {
    const { fleet, leaseMs, folder, place, leaving, onEvent } = this.#options;
    const queued = openTask(fleet, job.id ?? '', job.data);
    const task = queued ? `${queued.batch}/${queued.task.id}` : (job.id ?? '');
    if (queued) this.#batches.add(queued.batch);
    const started = performance.now();
    onEvent({ type: 'started', task, waitMs: Math.max(0, Date.now() - job.timestamp) });
    const deps = { fleet, worker: this.id, folder: this.#own(folder), place, leaseMs, leaving };
    const ended = attempt(job, token, deps)
      .then(
        (end) => onEvent({ type: 'ended', task, end, ms: performance.now() - started }),
        // The task is delivered again once its lock has expired.
        (error: Error) => onEvent({ type: 'trouble', text: `${task}: ${error.message}` }),
      )
      .finally(() => this.#running.delete(token));
    this.#running.set(token, { task, ended });
  }

  async #worker(queue: string): Promise<Worker> {
    const known = this.#workers.get(queue);
    if (known) return known;
    const { fleet, leaseMs, onEvent } = this.#options;
    const { Worker } = await fleet.bull();
    const worker = new Worker(queue, null, {
      ...bullOptions(fleet.redis),
      name: this.id,
      autorun: false,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      maxStalledCount: NO_LIMIT,
    });
    worker.on('error', (error) => onEvent({ type: 'trouble', text: error.message }));
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
      labels: [...labels],
      concurrency,
      startedAt: this.#startedAt,
      running: [...this.#running.values()].map(({ task }) => task),
      isDraining: this.#draining.signal.aborted,
    };
  }

  async #beat(): Promise<void> {
    const { fleet, leaseMs, onEvent } = this.#options;
    try {
      const { isAskedToDrain } = await beat(fleet, this.#state(), leaseMs / 3);
      if (isAskedToDrain && !this.#draining.signal.aborted)
        this.#draining.abort(new Error('Asked to drain.'));
    } catch (error) {
      onEvent({ type: 'trouble', text: (error as Error).message });
    }
  }
}
