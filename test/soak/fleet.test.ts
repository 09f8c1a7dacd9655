// @module-tag soak
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { batch, gitIn, obedientModel, repository } from '../support/batch.ts';
import { fleetKey, keysOfTasks, startWorker, type WorkerProcess } from '../support/fleet.ts';
import { runningWith } from '../support/processes.ts';
import { hasRedis, redisServer } from '../support/redis.ts';
import { rounds } from '../support/soak.ts';

const TASKS = rounds(16, 200);
const WORKERS = 4;
/** Finished tasks between two faults. */
const PACE = 3;
/** A restart of Redis after so many kills of workers. */
const KILLS_PER_RESTART = 2;
/** A task that was started so often is spared: the fifth death would be its last. */
const MOST_STARTS = 3;
const TURNS = TASKS * 10;

/** Every file and folder that is left there. */
const leftIn = (folder: string) => (existsSync(folder) ? readdirSync(folder, { recursive: true }) : []);

/** A bare repository that records each branch that is pushed to it. */
function countingRemote(home: string, source: string) {
  const bare = path.join(home, 'remote.git');
  gitIn(home, 'clone', '-q', '--bare', source, bare);
  const hook = path.join(bare, 'hooks', 'post-receive');
  const log = path.join(bare, 'pushes.log');
  gitIn(bare, 'config', 'receive.autogc', 'false');
  return {
    bare,
    async record() {
      await mkdir(path.dirname(hook), { recursive: true });
      await writeFile(hook, `#!/bin/sh\nwhile read old new ref; do echo "$ref $new" >> '${log}'; done\n`);
      chmodSync(hook, 0o755);
    },
    pushes: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
  };
}

/** The next worker in turn none of whose tasks has been started too often. */
function nextVictim(workers: WorkerProcess[], everybody: WorkerProcess[], turn: number): number | undefined {
  const starts = new Map<string, number>();
  for (const { said } of everybody)
    for (const [, task = ''] of said().matchAll(/\/(t\d+) started/g))
      starts.set(task, (starts.get(task) ?? 0) + 1);
  const running = (text: string) =>
    [...text.matchAll(/\/(t\d+) started/g)].filter(
      ([line, task]) => !text.slice(text.lastIndexOf(line) + line.length).includes(`/${task} `),
    );
  return workers
    .map((_, i) => (turn + i) % workers.length)
    .find((at) =>
      running(workers[at]?.said() ?? '').every(([, task = '']) => (starts.get(task) ?? 0) <= MOST_STARTS),
    );
}

describe.skipIf(!hasRedis)('a fleet whose workers are killed and whose Redis is killed and restarted', () => {
  test(`ends each of ${TASKS} tasks once, pushes once, keeps the budget and leaves nothing`, {
    timeout: 3_600_000,
  }, async () => {
    const [{ space }, model, redis] = await Promise.all([
      repository({ 'a.txt': 'alpha\n' }),
      obedientModel(),
      redisServer({ durable: true }),
    ]);
    const remote = countingRemote(space.home, space.root);
    await remote.record();
    const trees = path.join(space.home, 'trees');
    const temporary = path.join(space.home, 'tmp');
    await mkdir(temporary);
    const env = {
      ...model.env,
      AI_ASSISTANT_QUEUE_URL: redis.url,
      AI_ASSISTANT_REDIS_KEY: fleetKey,
      TMPDIR: temporary,
    };
    const tasks = Array.from({ length: TASKS }, (_, i) => ({
      id: `t${i}`,
      prompt: `run: echo ${i} > new-${i}`,
      repository: `file://${remote.bare}`,
    }));
    const file = path.join(space.home, 't.jsonl');
    await writeFile(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
    const start = () => startWorker(space, ['--concurrency', '2', '--lease', '6', '--trees', trees], env);
    const workers = Array.from({ length: WORKERS }, start);
    const everybody = [...workers];
    const finished = () =>
      everybody.reduce((sum, { said }) => sum + (said().match(/ finished, /g)?.length ?? 0), 0);
    const client = new Redis(redis.url, { maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    onTestFinished(() => client.disconnect());

    let isOver = false;
    const store = path.join(space.home, 'store');
    const shared = ['--queue', redis.url, '--budget', `${TURNS} turns`, '--store', store];
    const ended = batch(space, [file, ...shared], { env }).finally(() => {
      isOver = true;
    });
    /** Whatever reached the model was reserved before; together it never exceeds the limit. */
    const watchBudget = async () => {
      const [sums] = await client.keys('*:budget:sums');
      const requests = model.server.requests.length;
      const [spent, held] = sums ? await client.hmget(sums, 'spent:turns', 'held:turns') : [null, null];
      if (spent == null && held == null) return;
      const reserved = Math.round(Number(spent ?? 0) + Number(held ?? 0));
      expect(requests).toBeLessThanOrEqual(reserved);
      expect(reserved).toBeLessThanOrEqual(TURNS);
    };
    let kills = 0;
    let restarts = 0;
    for (let next = PACE; !isOver; next = finished() + PACE) {
      while (!isOver && finished() < next) {
        await Promise.race([sleep(200), ended]);
        await watchBudget();
      }
      if (isOver) break;
      const at = nextVictim(workers, everybody, kills);
      if (at === undefined || kills >= (restarts + 1) * KILLS_PER_RESTART) {
        await redis.stop();
        await redis.start();
        restarts += 1;
        continue;
      }
      await workers[at]?.end('SIGKILL');
      const worker = start();
      workers[at] = worker;
      everybody.push(worker);
      kills += 1;
    }
    const { code, results, stderr } = await ended;

    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(kills).toBeGreaterThan(0);
    expect(restarts).toBeGreaterThan(0);
    expect(results.map(({ task }) => task).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    const changed = results.filter(({ branch }) => branch !== undefined);
    expect(remote.pushes().toSorted()).toEqual(
      changed.map(({ branch, commit }) => `refs/heads/${branch} ${commit}`).toSorted(),
    );
    // A command that was cut off does not run again; the model is told about it, and this one leaves it at that.
    const unchanged = results.filter(({ branch }) => branch === undefined);
    const startsOf = (task: string) =>
      everybody.filter(({ said }) => said().includes(`/${task} started`)).length;
    expect(unchanged.filter(({ task }) => startsOf(task) < 2)).toEqual([]);
    for (const { task, branch } of changed)
      expect(gitIn(remote.bare, 'show', `${branch}:new-${task.slice(1)}`)).toBe(task.slice(1));
    // Everything that counts has reached the store, and nothing in it is cut off.
    expect(leftIn(store).filter((name) => String(name).endsWith('.json')).length).toBeGreaterThanOrEqual(
      TASKS,
    );
    for (const { task, patch } of changed)
      expect(readFileSync(patch ?? '', 'utf8')).toContain(`b/new-${task.slice(1)}`);
    for (const worker of workers) await worker.end('SIGTERM');
    // The heartbeats of killed workers expire with their lease.
    await expect.poll(() => client.keys('*:worker:*'), { timeout: 30_000 }).toEqual([]);
    const { stdout } = await aca(space, ['fleet', 'status', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ batches: [], workers: [], dead: [] });
    expect(await keysOfTasks(client)).toEqual([]);
    const root = path.join(space.home, '.ai-assistant');
    expect({
      trees: leftIn(trees),
      temporary: leftIn(temporary),
      worktrees: leftIn(`${space.root}.worktrees`),
      fleet: leftIn(path.join(root, 'fleet')).filter((name) =>
        /\.json$|\.lock|workers\/./.test(String(name)),
      ),
      locks: leftIn(root).filter((name) => /\.lock/.test(String(name))),
      processes: runningWith(space.home),
    }).toEqual({ trees: [], temporary: [], worktrees: [], fleet: [], locks: [], processes: [] });
  });
});
