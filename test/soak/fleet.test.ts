// @module-tag soak
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLocked } from '../../src/lib/files/lock.ts';
import { aca } from '../support/aca.ts';
import { batch, gitIn, obedientModel, repository } from '../support/batch.ts';
import { fleetKey, keysOfTasks, startWorker, type WorkerProcess } from '../support/fleet.ts';
import { runningWith } from '../support/processes.ts';
import { hasRedis, redisServer } from '../support/redis.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { rounds } from '../support/soak.ts';

const TASKS = rounds(16, 200);
const WORKERS = 4;
/** Finished tasks between two faults. */
const PACE = 3;
/** The first of these faults happen one after the other; the others by chance. */
const FAULTS = ['kill', 'stall', 'restart'] as const;
const LEASE_S = rounds(5, 12);
/** Longer than others need to take over. */
const STALL_MS = (2 * LEASE_S + 1) * 1000;
/** Of the whole batch at first, twice as much whenever it is used up: kills count in full. */
const FIRST_BUDGET_USD = rounds(0.2, 2);
const SEED = process.env.ACA_TEST_SEED ?? '1';
/** A task that was started so often is spared: the fifth death would be its last. */
const MOST_STARTS = 2;

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

/** Those none of whose tasks has been started too often. */
function possibleVictims(workers: WorkerProcess[], everybody: WorkerProcess[]): number[] {
  const starts = new Map<string, number>();
  for (const { said } of everybody)
    for (const [, task = ''] of said().matchAll(/\/(t\d+) started/g))
      starts.set(task, (starts.get(task) ?? 0) + 1);
  const running = (text: string) =>
    [...text.matchAll(/\/(t\d+) started/g)].filter(
      ([line, task]) => !text.slice(text.lastIndexOf(line) + line.length).includes(`/${task} `),
    );
  return [...workers.keys()].filter((at) =>
    running(workers[at]?.said() ?? '').every(([, task = '']) => (starts.get(task) ?? 0) <= MOST_STARTS),
  );
}

describe.skipIf(!hasRedis)(
  'a fleet whose workers are killed or stall and whose Redis is killed and restarted',
  () => {
    test(`ends each of ${TASKS} tasks once, pushes once, keeps the budget and leaves nothing (seed ${SEED})`, {
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
      const start = () =>
        startWorker(space, ['--concurrency', '2', '--lease', String(LEASE_S), '--trees', trees], env);
      const workers = Array.from({ length: WORKERS }, start);
      const everybody = [...workers];
      const finished = () =>
        everybody.reduce((sum, { said }) => sum + (said().match(/ finished, /g)?.length ?? 0), 0);
      const client = new Redis(redis.url, { maxRetriesPerRequest: null });
      client.on('error', () => undefined);
      onTestFinished(() => client.disconnect());

      const store = path.join(space.home, 'store');
      let limit = FIRST_BUDGET_USD;
      let isOver = false;
      const runAll = async () => {
        const budget = () => ['--budget', `$${limit}`];
        let part = await batch(space, [file, '--queue', redis.url, ...budget(), '--store', store], { env });
        const all = [...part.results];
        const [, id = ''] = /Batch (\S+):/.exec(part.stderr) ?? [];
        while (part.code !== 0 && part.stderr.includes('The budget of the batch is used up')) {
          limit *= 2;
          part = await batch(space, ['--resume', id, ...budget()], { env });
          all.push(...part.results);
        }
        return { ...part, results: all };
      };
      const ended = runAll().finally(() => {
        isOver = true;
      });
      /** Whatever reached the model was reserved before; together it never exceeds the limit. */
      const watchBudget = async () => {
        const [sums] = await client.keys('*:budget:sums');
        const requests = model.server.requests.length;
        const fields = ['spent:turns', 'held:turns', 'spent:usd', 'held:usd'];
        const found = sums ? (await client.hmget(sums, ...fields)).map(Number) : [];
        const [turns = 0, heldTurns = 0, usd = 0, heldUsd = 0] = found;
        if (found.every((amount) => amount === 0)) return;
        expect(requests).toBeLessThanOrEqual(Math.round(turns + heldTurns));
        expect(usd + heldUsd).toBeLessThanOrEqual(limit + 1e-6);
      };
      const bytes = seededBytes(SEED);
      const oneOf = <T>(choices: readonly T[]) => choices[bytes(4).readUInt32LE() % choices.length] as T;
      const stalled = new Map<WorkerProcess, Promise<void>>();
      const stall = async (worker: WorkerProcess) => {
        worker.child.kill('SIGSTOP');
        await sleep(STALL_MS);
        worker.child.kill('SIGCONT');
        stalled.delete(worker);
      };
      const faults = { kill: 0, stall: 0, restart: 0 };
      for (let next = PACE; !isOver; next = finished() + PACE) {
        while (!isOver && finished() < next) {
          await Promise.race([sleep(200), ended]);
          await watchBudget();
        }
        if (isOver) break;
        const count = faults.kill + faults.stall + faults.restart;
        const awake = possibleVictims(workers, everybody).filter(
          (at) => !stalled.has(workers[at] as WorkerProcess),
        );
        const fault = awake.length === 0 ? 'restart' : (FAULTS[count] ?? oneOf(FAULTS));
        faults[fault] += 1;
        if (fault === 'restart') {
          await redis.stop();
          await redis.start();
          continue;
        }
        const at = oneOf(awake);
        const victim = workers[at] as WorkerProcess;
        if (fault === 'stall') {
          stalled.set(victim, stall(victim));
          continue;
        }
        await victim.end('SIGKILL');
        workers[at] = start();
        everybody.push(workers[at] as WorkerProcess);
      }
      await Promise.all(stalled.values());
      const { code, results, stderr } = await ended;

      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(Math.min(...Object.values(faults))).toBeGreaterThan(0);
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
      // Housekeeping removes that of a session which was killed, and which nobody went on with.
      const isLeftLock = (name: string) =>
        name.includes('.lock') &&
        (!name.startsWith('sessions/') || isLocked(path.join(root, name.replace(/\.lock.*/, ''))));
      expect({
        trees: leftIn(trees),
        temporary: leftIn(temporary),
        worktrees: leftIn(`${space.root}.worktrees`),
        fleet: leftIn(path.join(root, 'fleet')).filter((name) =>
          /\.json$|\.lock|workers\/./.test(String(name)),
        ),
        locks: leftIn(root).map(String).filter(isLeftLock),
        processes: runningWith(space.home),
      }).toEqual({ trees: [], temporary: [], worktrees: [], fleet: [], locks: [], processes: [] });
    });
  },
);
