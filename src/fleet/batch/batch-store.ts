import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readJsonLines, toJsonLines } from '../../lib/files/json-lines.ts';
import { isLocked, type Lock, lockFile } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { compareText } from '../../lib/text/compare.ts';
import { parseJson } from '../../lib/text/json.ts';
import { type Task, type TaskResult, taskResultSchema, taskSchema } from '../task.ts';
import { AppendLog } from './append-log.ts';
import type { Spending } from './summary.ts';

/** What a batch is. */
const descriptionSchema = z.object({
  id: z.string(),
  createdAt: z.string(),
  /** Where it was started. */
  cwd: z.string(),
  total: z.number(),
  jobs: z.number(),
  /** Of the whole batch, such as `$10`. */
  budget: z.string().optional(),
  /** A folder for the worktrees; beside the repository if absent. */
  trees: z.string().optional(),
  /** How changes are kept: on a branch and as a patch, or as a patch only. */
  changes: z.enum(['branch', 'patch']),
  /** The server that queues the tasks for other machines, without its password. */
  queue: z.string().optional(),
  /** Where the workers put patches and results. */
  store: z.string().optional(),
  /** The user trusts the settings of the repositories. */
  trust: z.boolean(),
});

export type BatchDescription = z.infer<typeof descriptionSchema>;

const spendingSchema = taskResultSchema.pick({ costUsd: true, tokens: true, durationMs: true });

const recordSchema = z.discriminatedUnion('type', [
  /** A process begins to work on it; `keeper` finds the programs it started. */
  z.object({ type: z.literal('begin'), at: z.string(), keeper: z.string() }),
  z.object({ type: z.literal('start'), at: z.string(), task: z.string(), session: z.string() }),
  /** Its failed result no longer counts; what it cost does. */
  z.object({
    type: z.literal('retry'),
    task: z.string(),
    startedAt: z.string(),
    keepsSession: z.boolean(),
    ...spendingSchema.shape,
  }),
  /** It was interrupted, and has spent so much in all its runs. */
  z.object({
    type: z.literal('stop'),
    task: z.string(),
    startedAt: z.string(),
    ...spendingSchema.shape,
  }),
]);

export type BatchRecord = z.infer<typeof recordSchema>;

type Begun = Spending & Pick<TaskResult, 'startedAt'>;

/** A batch as it is on the disk. */
export type BatchState = {
  description: BatchDescription;
  tasks: Task[];
  /** By task: the last one counts. */
  results: Map<string, TaskResult>;
  /** The sessions of tasks that were started. */
  sessions: Map<string, string>;
  /** Tasks that were started: since when, and what they had spent when they were interrupted or failed. */
  begun: Map<string, Begun>;
  /** What tasks had spent before their present session. */
  earlier: Map<string, Pick<Spending, 'costUsd' | 'tokens'>>;
  /** What earlier processes called the programs they started. */
  keepers: string[];
};

export const batchFiles = (folder: string) => ({
  description: path.join(folder, 'batch.json'),
  tasks: path.join(folder, 'tasks.jsonl'),
  journal: path.join(folder, 'journal.jsonl'),
  results: path.join(folder, 'results.jsonl'),
  patches: path.join(folder, 'patches'),
  /** What was said in the tasks, to read. */
  transcripts: path.join(folder, 'transcripts'),
  markdown: path.join(folder, 'report.md'),
  html: path.join(folder, 'report.html'),
  /** A folder: what all tasks have spent. */
  spent: path.join(folder, 'spent'),
  /** The same for a batch on many machines, as it was a moment ago. */
  spentOnQueue: path.join(folder, 'spent.json'),
});

function batchesFolder(root: string): string {
  return path.join(root, 'batches');
}

/** Short enough to type. It sorts by the minute: `listBatches` knows the order. */
function newId(now: Date): string {
  const stamp = now.toISOString().slice(0, 16).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${stamp}-${randomBytes(2).toString('hex')}`;
}

/** A batch that this process works on; no other does at the same time. */
export class OpenBatch {
  readonly folder: string;
  readonly state: BatchState;
  readonly #lock: Lock;
  readonly #journal: AppendLog;
  readonly #results: AppendLog;

  private constructor(folder: string, state: BatchState, lock: Lock) {
    this.folder = folder;
    this.state = state;
    this.#lock = lock;
    this.#journal = new AppendLog(this.files.journal);
    this.#results = new AppendLog(this.files.results);
  }

  /** The data root. */
  get root(): string {
    return path.dirname(path.dirname(this.folder));
  }

  get files(): ReturnType<typeof batchFiles> {
    return batchFiles(this.folder);
  }

  static async create(
    root: string,
    tasks: readonly Task[],
    about: Omit<BatchDescription, 'id' | 'createdAt' | 'total'>,
  ): Promise<OpenBatch> {
    const now = new Date();
    const id = newId(now);
    const folder = path.join(batchesFolder(root), id);
    const files = batchFiles(folder);
    makePrivateFolder(files.patches);
    const lock = await lockOf(folder);
    try {
      const description = { id, createdAt: now.toISOString(), total: tasks.length, ...about };
      await writeAtomic(files.tasks, toJsonLines(tasks), 0o600);
      // Last: a folder with it is a complete batch.
      await writeAtomic(files.description, `${JSON.stringify(description)}\n`, 0o600);
      const state = {
        description,
        tasks: [...tasks],
        results: new Map(),
        sessions: new Map(),
        begun: new Map(),
        earlier: new Map(),
        keepers: [],
      };
      return new OpenBatch(folder, state, lock);
    } catch (error) {
      lock.release();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** To go on with it. */
  static async open(root: string, id: string): Promise<OpenBatch> {
    const folder = path.join(batchesFolder(root), id);
    const lock = await lockOf(folder);
    try {
      const state = readBatch(root, id);
      if (!state) throw new UserError(`There is no batch ${id}.`, 'Run `aca batch --list` to see all.');
      return new OpenBatch(folder, state, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  record(record: BatchRecord): void {
    this.#journal.append(record);
    take(record, this.state);
  }

  start(task: string, session: string): void {
    this.record({ type: 'start', at: new Date().toISOString(), task, session });
  }

  /**
   * A failed task runs again: from the beginning, in a new session. If it only could not be set up, or its changes could
   * not be kept, that is repeated in the same worktree and session: what the model did there is paid for.
   */
  retry(task: string): void {
    const result = this.state.results.get(task);
    if (!result) return;
    const { startedAt, costUsd, tokens, durationMs, failure } = result;
    const keepsSession = failure === 'changes' || failure === 'setup';
    const record = { type: 'retry', task, startedAt, costUsd, tokens, durationMs, keepsSession } as const;
    // A queue keeps the failed result until the task has run again: so does the batch.
    if (this.state.description.queue === undefined) this.record(record);
    else take(record, this.state);
  }

  /** Returns the result with what the task has cost in all its runs. */
  finish(run: TaskResult): TaskResult {
    const result = this.#withEarlier(run);
    this.#results.append(result);
    this.state.results.set(result.task, result);
    return result;
  }

  /** A task without a result: what it has spent counts until it has one. */
  interrupt(run: TaskResult): TaskResult {
    const result = this.#withEarlier(run);
    const { task, startedAt, costUsd, tokens, durationMs } = result;
    this.record({ type: 'stop', task, startedAt, costUsd, tokens, durationMs });
    return result;
  }

  #withEarlier(run: TaskResult): TaskResult {
    const earlier = this.state.earlier.get(run.task);
    if (!earlier) return run;
    const isUnknown = run.costUsd === null || earlier.costUsd === null;
    const costUsd = isUnknown ? null : (run.costUsd ?? 0) + (earlier.costUsd ?? 0);
    return { ...run, costUsd, tokens: run.tokens + earlier.tokens };
  }

  /** What may differ when it is resumed. */
  async change(changes: Partial<Pick<BatchDescription, 'jobs' | 'budget' | 'trees'>>): Promise<void> {
    Object.assign(this.state.description, changes);
    await this.write(this.files.description, `${JSON.stringify(this.state.description)}\n`);
  }

  /** Writes a whole file of this batch. */
  async write(file: string, text: string): Promise<void> {
    await writeAtomic(file, text, 0o600);
  }

  close(): void {
    this.#journal.close();
    this.#results.close();
    this.#lock.release();
  }
}

async function lockOf(folder: string): Promise<Lock> {
  if (!existsSync(path.dirname(folder))) makePrivateFolder(path.dirname(folder));
  const lock = await lockFile(runningFile(folder));
  if (!lock)
    throw new UserError(
      `Batch ${path.basename(folder)} is already running.`,
      'Wait until it is done, or stop the other process.',
    );
  return lock;
}

function readDescription(root: string, id: string): BatchDescription | null {
  const { description } = batchFiles(path.join(batchesFolder(root), id));
  const text = unlessErrno(['ENOENT', 'ENOTDIR'], '', () => readRegularText(description));
  return descriptionSchema.safeParse(parseJson(text)).data ?? null;
}

/** Null if there is no such batch, or its description is damaged. */
export function readBatch(root: string, id: string): BatchState | null {
  const description = isId(id) ? readDescription(root, id) : null;
  if (!description) return null;
  const files = batchFiles(path.join(batchesFolder(root), id));
  const state: BatchState = {
    description,
    tasks: parsedLines(files.tasks, taskSchema),
    results: new Map(),
    sessions: new Map(),
    begun: new Map(),
    earlier: new Map(),
    keepers: [],
  };
  for (const result of parsedLines(files.results, taskResultSchema)) state.results.set(result.task, result);
  for (const record of parsedLines(files.journal, recordSchema)) {
    if (record.type === 'begin') state.keepers.push(record.keeper);
    take(record, state);
  }
  return state;
}

function take(record: BatchRecord, { results, sessions, begun, earlier }: BatchState): void {
  if (record.type === 'begin') return;
  const { task } = record;
  if (record.type === 'start') {
    const { costUsd, tokens } = begun.get(task) ?? { costUsd: 0, tokens: 0 };
    earlier.set(task, { costUsd, tokens });
    sessions.set(task, record.session);
    begun.set(task, { startedAt: record.at, costUsd, tokens, durationMs: 0 });
    return;
  }
  const { startedAt, costUsd, tokens, durationMs } = record;
  begun.set(task, { startedAt, costUsd, tokens, durationMs });
  if (record.type === 'stop') return;
  const result = results.get(task);
  // There may be a newer one: results are in a file of their own.
  if (result?.startedAt === startedAt && result.durationMs === durationMs) results.delete(task);
  if (!record.keepsSession) sessions.delete(task);
}

/** Skips what is damaged. */
function parsedLines<T>(file: string, schema: z.ZodType<T>): T[] {
  return readJsonLines(file).flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Newest first; all of them unless `most` says otherwise. */
export function listBatches(root: string, most = Number.POSITIVE_INFINITY): BatchState[] {
  const names = unlessErrno(['ENOENT'], [], () => readdirSync(batchesFolder(root)));
  const newest = names
    .filter(isId)
    .flatMap((name) => {
      const { createdAt } = readDescription(root, name) ?? {};
      return createdAt === undefined ? [] : [{ name, createdAt }];
    })
    .toSorted((a, b) => compareText(b.createdAt, a.createdAt));
  return newest.slice(0, most).flatMap(({ name }) => readBatch(root, name) ?? []);
}

/** Whether a process works on it now. For display: it may change at any moment. */
export function isBatchRunning(root: string, id: string): boolean {
  return isLocked(runningFile(path.join(batchesFolder(root), id)));
}

function runningFile(folder: string): string {
  return `${folder}.running`;
}

function isId(name: string): boolean {
  return /^[\w-]+$/.test(name);
}
