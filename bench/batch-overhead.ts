import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRedisBudget } from '../src/cache/redis-budget.ts';
import { OpenBatch } from '../src/fleet/batch/batch-store.ts';
import { type BatchEvent, runBatch } from '../src/fleet/batch/run-batch.ts';
import { childArguments } from '../src/fleet/child-run.ts';
import { fleetKeys } from '../src/fleet/queue/fleet.ts';
import { removeBatch } from '../src/fleet/queue/submit.ts';
import type { WorkerEvent } from '../src/fleet/queue/worker.ts';
import { runTask } from '../src/fleet/run-task.ts';
import type { TaskResult, TaskSource } from '../src/fleet/task.ts';
import { openTree } from '../src/fleet/task-tree.ts';
import { runKept } from '../src/sandbox/shell/kept-program.ts';
import { says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import {
  type BatchLab,
  type BenchRedis,
  benchTask,
  benchWorker,
  gitSource,
  makeRepository,
  queueTasks,
  type Row,
  rounded,
  table,
  timed,
  untilEnded,
} from './batch-lab.ts';
import { quantile } from './process-figures.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PER_ROUND = 5;
const FILES = 200;
const WATCH_MS = 20;

/** Tasks one at a time, between as many plain runs: all see the same machine. */
export async function overhead(lab: BatchLab): Promise<string> {
  const repository = makeRepository(path.join(lab.folder, 'project'), FILES);
  await using server = await startModelServer([says('Done.')], { loop: true });
  const env = environment(lab, server.url);
  const sources = [gitSource(repository), gitSource(`file://${repository}`)] as const;
  const kinds: [string, (round: number) => Promise<number[]>][] = [
    ['plain headless run', () => plainRuns(lab, repository, env)],
    ['task of a batch', () => localTasks(lab, sources[0], env)],
  ];
  if (lab.redis)
    for (const [i, kind] of ['path', 'URL'].entries())
      kinds.push([
        `task of a queue, repository by ${kind}`,
        (round) => queuedTasks(lab, { id: `${kind}-${round}`, source: sources[i] ?? sources[0], env }),
      ]);
  await plainRuns(lab, repository, env);
  const figures = kinds.map(() => [] as number[]);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, [, run]] of kinds.entries()) figures[i]?.push(...(await run(round)));
  const plain = quantile(figures[0] ?? [], 0.5);
  const rows = kinds.map(([what], i): Row => {
    const at = (share: number) => rounded(quantile(figures[i] ?? [], share), 1);
    return [what, at(0.5), at(0.25), at(0.75), rounded(quantile(figures[i] ?? [], 0.5) - plain, 1)];
  });
  return [
    `A task in a repository of ${FILES} files, ${ROUNDS * PER_ROUND} runs of each kind, median, quartiles, and what it takes longer than a plain run (target: under 50 ms).`,
    table(['what', 'ms', 'from', 'to', 'added ms'], rows),
  ].join('\n\n');
}

export function environment({ folder }: BatchLab, server: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    AI_ASSISTANT_HOME: path.join(folder, 'data'),
    AI_ASSISTANT_KEYCHAIN: '0',
    AI_ASSISTANT_MEMORY: '0',
    AI_ASSISTANT_NO_UPDATE_CHECK: '1',
    AI_ASSISTANT_MODEL: 'anthropic/claude-sonnet-4-20250514',
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ANTHROPIC_BASE_URL: server,
  };
}

const program = [process.execPath, path.resolve('dist/main.cjs')];

async function plainRuns({ keeper }: BatchLab, cwd: string, env: NodeJS.ProcessEnv): Promise<number[]> {
  const { signal } = new AbortController();
  const figures: number[] = [];
  for (let i = 0; i < PER_ROUND; i++) {
    const session = crypto.randomUUID();
    const { args, input } = childArguments(benchTask('x', gitSource(cwd)), {
      session,
      isResumed: false,
      trust: false,
    });
    figures.push(
      await timed(() => runKept({ command: [...program, ...args], cwd, env, input, signal, keeper })),
    );
  }
  return figures;
}

/** The first one is not measured: it waits for what all have in common. */
const tasksIn = (source: TaskSource, count = PER_ROUND + 1) =>
  Array.from({ length: count }, (_, i) => benchTask(`t${i}`, source));

async function localTasks(
  { folder, keeper }: BatchLab,
  source: TaskSource,
  env: NodeJS.ProcessEnv,
): Promise<number[]> {
  const about = { cwd: folder, jobs: 1, changes: 'branch', trust: false } as const;
  const batch = await OpenBatch.create(path.join(folder, 'data'), tasksIn(source), about);
  const ends: number[] = [];
  const onEvent = (event: BatchEvent) => {
    if (event.type === 'ended') ends.push(endOf(event.result));
  };
  const { signal } = new AbortController();
  const parts = { jobs: 1, retry: 'open', signal, prepare: openTree, run: runTask, onEvent } as const;
  await runBatch(batch, { ...parts, place: { program, keeper, env } });
  batch.close();
  return between(ends);
}

function endOf(result: TaskResult): number {
  if (result.status !== 'done') throw new Error(JSON.stringify(result));
  return performance.now();
}

/** From the end of one task to the end of the next. */
function between(ends: readonly number[]): number[] {
  return ends.slice(1).map((end, i) => end - (ends[i] ?? 0));
}

type Queued = { id: string; source: TaskSource; env: NodeJS.ProcessEnv; tasks?: number; limits?: string };

/** With a worker that waits for them, and runs one at a time. */
export async function queuedTasks(
  lab: BatchLab,
  { id, source, env, tasks: count, limits }: Queued,
): Promise<number[]> {
  const { redis } = lab;
  if (!redis) return [];
  const tasks = tasksIn(source, count);
  const ends: number[] = [];
  const troubles: string[] = [];
  const worker = benchWorker(lab, redis, {
    concurrency: 1,
    place: { program, env },
    run: runTask,
    onEvent(event: WorkerEvent) {
      if (event.type === 'trouble') troubles.push(event.text);
      if (event.type !== 'ended') return;
      ends.push(performance.now());
      const { end } = event;
      if (end.type !== 'finished' || end.result.status !== 'done') troubles.push(JSON.stringify(end));
    },
  });
  await untilWaiting(redis);
  if (limits) await createRedisBudget({ redis: redis.fleet.redis, prefix: fleetKeys.batch(id).budget });
  await queueTasks(redis, { id, ...(limits && { limits }) }, tasks);
  await untilEnded(redis, id, tasks.length);
  worker.drain();
  await worker.ended;
  await removeBatch(redis.fleet, id);
  if (troubles.length > 0) throw new Error(troubles.join('\n'));
  return between(ends);
}

/** Until a worker that has nothing to do blocks on the server, with all its connections. */
export async function untilWaiting({ figure }: BenchRedis): Promise<void> {
  while ((await figure('clients', 'blocked_clients')) === 0) await pause(WATCH_MS);
}
