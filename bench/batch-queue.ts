import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { resultOf } from '../src/fleet/child-run.ts';
import { removeBatch } from '../src/fleet/queue/submit.ts';
import type { runTask } from '../src/fleet/run-task.ts';
import { calls, says } from '../test/support/model-server/script.ts';
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
import { environment, queuedTasks, untilWaiting } from './batch-overhead.ts';

/** As long as two waits of an idle worker. */
const IDLE_MS = 20_000;
/** So many more model calls has a task in which they are counted than one beside it. */
const MODEL_CALLS = 20;
const WATCH_MS = 50;

/** Instead of a child process. */
export const atOnce: typeof runTask = async (one, { onResult }) => {
  const started = { at: new Date(), clock: performance.now(), session: 'x' };
  const result = resultOf(one, started, { answer: 'Done.' });
  await onResult?.(result);
  return result;
};

/** One worker with a real Redis server: queueing, taking and ending tasks that do nothing. */
export async function queueGrowth(
  lab: BatchLab,
  redis: BenchRedis,
  sizes: readonly number[],
): Promise<string> {
  const { fleet, figure } = redis;
  const rows = new Map<number, Row>();
  for (const size of sizes) {
    const commands = await redis.commands();
    const memory = await figure('memory', 'used_memory');
    const network = await figure('stats', 'total_net_input_bytes');
    const id = `bench-${size}`;
    const tasks = Array.from({ length: size }, (_, i) => benchTask(`t${i}`, gitSource(lab.folder)));
    const queueing = await timed(() => queueTasks(redis, { id }, tasks));
    const held = (await figure('memory', 'used_memory')) - memory;
    const worker = newWorker(lab, redis);
    const ending = await timed(() => untilEnded(redis, id, size));
    worker.drain();
    await worker.ended;
    const used = (await redis.commands()) - commands;
    const sent = (await figure('stats', 'total_net_input_bytes')) - network;
    await removeBatch(fleet, id);
    const each = (sum: number, digits: number) => rounded(sum / size, digits);
    rows.set(size, [
      size.toLocaleString('en-US'),
      each(queueing, 3),
      each(ending, 3),
      each(used, 1),
      each(sent, 0),
      each(held, 0),
    ]);
  }
  const head = [
    'tasks',
    'queue, ms',
    'take and end, ms',
    'Redis commands',
    'bytes sent',
    'bytes held while queued',
  ];
  return [
    'Redis (append-only file, one worker with 4 tasks at a time), without child processes, per task:',
    table(head, [...rows.values()]),
  ].join('\n\n');
}

function newWorker(lab: BatchLab, redis: BenchRedis) {
  const place = { program: [], env: { HOME: lab.folder } };
  return benchWorker(lab, redis, { concurrency: 4, place, run: atOnce, onEvent: () => undefined });
}

/** What workers and the model calls of their tasks cost the Redis server, whatever the machine is. */
export async function costsOfWorkers(lab: BatchLab, redis: BenchRedis): Promise<string> {
  const idle = await idleWorker(lab, redis);
  const few = await taskWithCalls(lab, redis, 0);
  const many = await taskWithCalls(lab, redis, MODEL_CALLS);
  const perCall = (what: 'commands' | 'scripts') => rounded((many[what] - few[what]) / MODEL_CALLS, 1);
  return [
    table(
      ['what', 'commands per second', 'connections'],
      [
        ['idle worker', idle.commandsPerSecond, idle.connections],
        ['running task', 0, many.connections - idle.connections],
      ],
    ),
    table(['what', 'requests', 'commands'], [['model call', perCall('scripts'), perCall('commands')]]),
  ].join('\n\n');
}

async function idleWorker(lab: BatchLab, redis: BenchRedis) {
  const worker = newWorker(lab, redis);
  await untilWaiting(redis);
  const before = await redis.commands();
  const waited = await timed(() => pause(IDLE_MS));
  const commands = (await redis.commands()) - before;
  const connections = await redis.figure('clients', 'connected_clients');
  worker.drain();
  await worker.ended;
  return { commandsPerSecond: rounded((1000 * commands) / waited, 1), connections };
}

/** A real task that reads so many files, each in a model call, before it answers. */
async function taskWithCalls(lab: BatchLab, redis: BenchRedis, reads: number) {
  const repository = makeRepository(path.join(lab.folder, `reads-${reads}`), MODEL_CALLS);
  const reading = Array.from({ length: reads }, (_, i) => calls(['Read', { file_path: `src/f${i}.js` }]));
  await using server = await startModelServer([...reading, says('Done.')], { loop: true });
  const env = environment(lab, server.url);
  const scripts = () => redis.figure('commandstats', 'cmdstat_eval');
  const before = { commands: await redis.commands(), scripts: await scripts() };
  let connections = 0;
  const watch = setInterval(() => {
    void redis.figure('clients', 'connected_clients').then((now) => {
      connections = Math.max(connections, now);
    });
  }, WATCH_MS);
  const queued = { id: `reads-${reads}`, source: gitSource(repository), env, tasks: 1, limits: '$1000' };
  await queuedTasks(lab, queued);
  clearInterval(watch);
  const commands = (await redis.commands()) - before.commands;
  return { commands, scripts: (await scripts()) - before.scripts, connections };
}
