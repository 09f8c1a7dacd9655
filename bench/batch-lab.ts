import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Fleet, openFleet } from '../src/fleet/queue/fleet.ts';
import type { QueuedBatch } from '../src/fleet/queue/messages.ts';
import { collectResults, submitBatch } from '../src/fleet/queue/submit.ts';
import { FleetWorker, type FleetWorkerOptions } from '../src/fleet/queue/worker.ts';
import type { Task, TaskSource } from '../src/fleet/task.ts';
import { createProcessKeeper, type ProcessKeeper } from '../src/sandbox/shell/process-keeper.ts';
import { freePort } from '../test/support/free-port.ts';

/** Where batches are measured; everything in it is removed afterwards. */
export type BatchLab = {
  folder: string;
  keeper: ProcessKeeper;
  /** Null without redis-server on this machine. */
  redis: BenchRedis | null;
  close(): Promise<void>;
};

export type BenchRedis = {
  fleet: Fleet;
  figure(section: string, name: string): Promise<number>;
  /** So far, without those that ask for figures. Commands in scripts count, too. */
  commands(): Promise<number>;
};

export async function openBatchLab(): Promise<BatchLab> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'aca-bench-batch-')));
  const keeper = createProcessKeeper({ path: process.env.PATH });
  const redis = await startRedis(folder);
  return {
    folder,
    keeper,
    redis,
    async close() {
      await redis?.stop();
      await keeper.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startRedis(folder: string) {
  const program = 'redis-server';
  if (spawnSync(program, ['--version']).status !== 0) return null;
  const port = await freePort();
  const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const durable = ['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
  const server = spawn(program, [...where, ...durable], { stdio: 'ignore' });
  const fleet = await openFleet({ url: `redis://127.0.0.1:${port}`, key: 'a key for the bench only' });
  let asked = 0;
  const figure = async (section: string, name: string) => {
    asked += 1;
    return Number(
      new RegExp(`^${name}[:=](?:calls=)?(\\d+)`, 'm').exec(await fleet.redis.info(section))?.[1],
    );
  };
  return {
    fleet,
    figure,
    commands: async () => (await figure('stats', 'total_commands_processed')) - asked,
    async stop() {
      await fleet.close();
      server.kill('SIGKILL');
    },
  };
}

export function benchTask(id: string, source: TaskSource): Task {
  return {
    id,
    prompt: 'say done',
    source,
    mode: 'auto',
    allow: [],
    deny: [],
    checks: [],
    checkRetries: 0,
    labels: [],
    variables: {},
  };
}

/** A worker of the lab's queue, until it is drained. */
export function benchWorker(
  { folder, keeper }: BatchLab,
  { fleet }: BenchRedis,
  options: Pick<FleetWorkerOptions, 'concurrency' | 'run' | 'onEvent'> & {
    place: Pick<FleetWorkerOptions['place'], 'program' | 'env'>;
  },
): { drain(): void; ended: Promise<void> } {
  const drain = new AbortController();
  const worker = new FleetWorker({
    ...options,
    fleet,
    labels: [],
    dataRoot: path.join(folder, 'data'),
    place: { ...options.place, keeper },
    leaseMs: 30_000,
    drain: drain.signal,
    leaving: new AbortController().signal,
  });
  return { drain: () => drain.abort(), ended: worker.run() };
}

export async function queueTasks(
  { fleet }: BenchRedis,
  batch: Pick<QueuedBatch, 'id' | 'limits'>,
  tasks: readonly Task[],
): Promise<void> {
  const submissions = tasks.map((task) => ({ task, session: randomUUID(), isRetry: false }));
  await submitBatch(fleet, { ...batch, createdAt: new Date().toISOString(), changes: 'branch' }, submissions);
}

/** Waits until so many tasks of a batch have ended. */
export async function untilEnded({ fleet }: BenchRedis, batch: string, size: number): Promise<void> {
  const { signal } = new AbortController();
  let ended = 0;
  for await (const _ of collectResults(fleet, batch, { signal, isIncomplete: async () => false })) ended += 1;
  if (ended !== size) throw new Error(`${ended} of ${size} tasks ended.`);
}

export function gitSource(repository: string): TaskSource {
  return { type: 'repository', repository, ref: 'HEAD' };
}

/** A repository with so many files. */
export function makeRepository(root: string, files: number): string {
  mkdirSync(path.join(root, 'src'), { recursive: true });
  for (let i = 0; i < files; i++)
    writeFileSync(path.join(root, 'src', `f${i}.js`), `export const x = ${i};\n`);
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args]);
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'first');
  return root;
}

export async function timed<T>(work: () => Promise<T> | T): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export type Row = readonly [what: string, ...figures: number[]];

export function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function rounded(figure: number, digits: number): number {
  return Math.round(figure * 10 ** digits) / 10 ** digits;
}
