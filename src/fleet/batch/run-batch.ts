import { randomUUID } from 'node:crypto';
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { following } from '../../lib/async/abort.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { endKept } from '../../sandbox/shell/process-keeper.ts';
import { removeWorktree } from '../../sandbox/worktrees/remove.ts';
import type { OpenedTree, RunTaskOptions, TaskEvent, TaskPlace } from '../run-options.ts';
import { openLocalBudget } from '../shared-budget.ts';
import { isOpen, isTrouble, MOST_TROUBLES, type Task, type TaskResult } from '../task.ts';
import { clonesFolder, treesFolder } from '../task-tree.ts';
import type { OpenBatch } from './batch-store.ts';
import { type Progress, ProgressCounter } from './progress.ts';

export type BatchEvent =
  /** On the queue. No worker has all labels of these sets, so that their tasks wait. */
  | { type: 'queued'; unserved: string[][] }
  | { type: 'started'; task: Task; resumed: boolean }
  | { type: 'ended'; task: Task; result: TaskResult }
  /** It has no result: it goes on when the batch is resumed. */
  | { type: 'interrupted'; task: Task }
  | { type: 'note'; task: Task; text: string };

/** Why a batch ended with tasks that were not run; null if all were. */
export type BatchEnd =
  | { type: 'complete' }
  | { type: 'interrupted' }
  /** On a queue, by `aca fleet cancel`. */
  | { type: 'cancelled' }
  | { type: 'budget'; reason: string }
  /** The same trouble again and again: the model server is unreachable, the disk is full. */
  | { type: 'trouble'; reason: string };

type PrepareOptions = Pick<RunTaskOptions, 'place' | 'session' | 'signal'>;
type Next = { task: Task; options: PrepareOptions; opened?: Promise<OpenedTree> };

export type RunBatchOptions = {
  place: Omit<TaskPlace, 'batch' | 'patches' | 'changes' | 'trust' | 'sources'>;
  jobs: number;
  /** `failed`: tasks that failed run again, in a new session. */
  retry: 'open' | 'failed';
  signal: AbortSignal;
  /** Opens the worktree of the next task while others run. */
  prepare?(task: Task, options: PrepareOptions): Promise<OpenedTree>;
  run(task: Task, options: RunTaskOptions): Promise<TaskResult>;
  onEvent(event: BatchEvent, progress: Progress): void;
};

/** Runs the tasks of a batch that have no result yet, at most `jobs` at a time. */
export async function runBatch(batch: OpenBatch, options: RunBatchOptions): Promise<BatchEnd> {
  const { description, keepers } = batch.state;
  const { trees } = options.place;
  const hadTrees = trees !== undefined && existsSync(trees);
  // A killed process may have left some running.
  for (const keeper of keepers) await endKept(keeper);
  batch.record({ type: 'begin', at: new Date().toISOString(), keeper: options.place.keeper.session });
  const { budget: limits } = description;
  // Also without limits: its tasks slow down together when a vendor rejects requests.
  const budget = await openLocalBudget(batch.files.spent, limits === undefined ? {} : { limits });
  try {
    const end = await new Scheduler(batch, options, budget.env).run();
    if (end.type === 'complete') removeEmpty(batch, options.place, { hadTrees });
    return end;
  } finally {
    await budget.budget.close();
  }
}

/** Folders that only this batch needed. */
function removeEmpty(
  batch: OpenBatch,
  place: RunBatchOptions['place'],
  { hadTrees }: { hadTrees: boolean },
): void {
  const { description, tasks, results } = batch.state;
  const clones = clonesFolder({ ...place, batch: description.id });
  const areNeeded = [...results.values()].some(({ failure }) => failure === 'changes');
  if (existsSync(clones) && !areNeeded) rmSync(clones, { recursive: true, force: true });
  const folders = new Set(tasks.map(({ source }) => treesFolder(source, place)));
  if (place.trees !== undefined) unlessErrno('any', null, () => rmdirSync(path.dirname(clones)));
  if (hadTrees) return;
  // Another batch may use it.
  for (const folder of folders) unlessErrno('any', null, () => rmdirSync(folder));
}

/** Of a task that will not start. One that an interrupted run left stays. */
async function discard(next: Next | null): Promise<void> {
  const opened = await next?.opened?.catch(() => null);
  if (opened?.isNew) await removeWorktree(opened.tree).catch(() => undefined);
  opened?.tree.lock.release();
}

class Scheduler {
  readonly #batch: OpenBatch;
  readonly #options: RunBatchOptions;
  readonly #budget: Readonly<Record<string, string>>;
  readonly #counter: ProgressCounter;
  readonly #waiting: Iterator<Task>;
  /** The task after the last one that was started. */
  #next: Next | null = null;
  /** Runs that have a result, and whose worktrees are being removed. */
  readonly #leaving = new Set<Promise<unknown>>();
  readonly #sources: TaskPlace['sources'] = new Map();
  /** What tasks have told. */
  readonly #notes = new Set<string>();
  /** Failures in a row that are not the fault of a task. */
  #troubles = 0;
  /** Set when no more tasks are started. */
  #end: BatchEnd | undefined;

  constructor(batch: OpenBatch, options: RunBatchOptions, budget: Readonly<Record<string, string>>) {
    this.#batch = batch;
    this.#options = options;
    this.#budget = budget;
    const { tasks, results } = batch.state;
    if (options.retry === 'failed')
      for (const [id, { status }] of results) if (status === 'failed') batch.retry(id);
    this.#counter = new ProgressCounter(batch.state);
    this.#waiting = tasks.filter(({ id }) => !results.has(id)).values();
  }

  async run(): Promise<BatchEnd> {
    const failed = following(this.#options.signal);
    const workers = Array.from({ length: this.#options.jobs }, () => this.#work(failed.signal));
    try {
      await Promise.all(workers);
      await Promise.all(this.#leaving);
    } catch (error) {
      // The journal cannot be written, or there is a bug: nothing may go on unrecorded.
      failed.abort(error);
      await Promise.allSettled([...workers, ...this.#leaving]);
      throw error;
    } finally {
      failed.stop();
      await discard(this.#next);
    }
    return this.#end ?? { type: 'complete' };
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) this.#end ??= { type: 'interrupted' };
      if (this.#end) return;
      const next = this.#next ?? this.#prepare(signal);
      this.#next = null;
      if (next === null) return;
      this.#next = this.#prepare(signal);
      await this.#runOne(next);
    }
  }

  /** One task ahead: a worktree takes much less time than a task. */
  #prepare(signal: AbortSignal): Next | null {
    const next = this.#waiting.next();
    if (next.done) return null;
    const task = next.value;
    const known = this.#batch.state.sessions.get(task.id);
    const session = { id: known ?? randomUUID(), resume: known !== undefined };
    const options = { place: this.#place, session, signal };
    const opened = this.#options.prepare?.(task, options);
    // Whoever runs the task reports it.
    opened?.catch(() => undefined);
    return { task, options, ...(opened && { opened }) };
  }

  async #runOne({ task, options, opened }: Next): Promise<void> {
    const { id: session, resume: resumed } = options.session;
    const before = this.#batch.state.begun.get(task.id);
    if (!resumed) this.#batch.start(task.id, session);
    this.#counter.started();
    this.#tell({ type: 'started', task, resumed });
    // The next task starts while the worktree of this one is removed.
    const ended = await new Promise<TaskResult>((resolve, reject) => {
      const run = this.#options.run(task, {
        ...options,
        ...(opened && { opened }),
        ...(resumed && before && { before }),
        budget: this.#budget,
        onEvent: (event) => this.#noteEvent(task, session, event),
        onResult: (result) => resolve(this.#batch.finish(result)),
      });
      this.#leaving.add(run);
      run.then((result) => {
        this.#leaving.delete(run);
        resolve(result);
      }, reject);
    });
    const result = isOpen(ended) ? this.#batch.interrupt(ended) : ended;
    if (isOpen(result)) {
      this.#counter.ended(result, before);
      this.#tell({ type: 'interrupted', task });
      if (result.failure === 'budget') this.#end ??= { type: 'budget', reason: result.reason ?? '' };
      return;
    }
    this.#counter.ended(result, before);
    this.#tell({ type: 'ended', task, result });
    this.#troubles = isTrouble(result) ? this.#troubles + 1 : 0;
    if (this.#troubles >= Math.max(MOST_TROUBLES, 2 * this.#options.jobs))
      this.#end ??= { type: 'trouble', reason: result.reason ?? '' };
  }

  #noteEvent(task: Task, session: string, event: TaskEvent): void {
    if (event.type === 'note') {
      // Flags of the batch are the same for all its tasks.
      if (!this.#notes.has(event.text)) this.#tell({ type: 'note', task, text: event.text });
      this.#notes.add(event.text);
    } else if (event.session !== session) this.#batch.start(task.id, event.session);
  }

  #tell(event: BatchEvent): void {
    this.#options.onEvent(event, this.#counter.progress);
  }

  get #place(): TaskPlace {
    const { id, changes, trust } = this.#batch.state.description;
    const { patches } = this.#batch.files;
    return { ...this.#options.place, batch: id, patches, changes, trust, sources: this.#sources };
  }
}
