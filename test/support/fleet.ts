import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { type AcaOptions, aca, cleanEnv } from './aca.ts';
import { batch, gitIn, obedientModel, repository } from './batch.ts';
import { program } from './program.ts';
import { type RedisServerOptions, redisServer } from './redis.ts';
import type { Workspace } from './workspace.ts';

export const fleetKey = 'a key that all machines share';

export type WorkerProcess = {
  child: ChildProcess;
  said(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** `aca worker` as a process; killed when the test ends. */
export function startWorker(space: Workspace, args: string[], env: Record<string, string>): WorkerProcess {
  const line = program(['worker', '--lease', '3', ...args]);
  const child = spawn(line.file, line.args, {
    cwd: space.root,
    env: cleanEnv(space, env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  onTestFinished(async () => void (await end('SIGKILL')));
  return { child, said: () => said, end };
}

type LabOptions = {
  files?: Record<string, string>;
  redis?: RedisServerOptions;
  model?: Parameters<typeof obedientModel>[0];
  env?: Record<string, string>;
};

/** A repository, a bare one that records pushes to it, a model that obeys, and a Redis server. */
export async function fleetLab({
  files = { 'a.txt': 'alpha\n' },
  redis: options,
  model: script,
  env: more,
}: LabOptions = {}) {
  const [{ space, git }, model, redis] = await Promise.all([
    repository(files),
    obedientModel(script),
    redisServer({ durable: true, ...options }),
  ]);
  const env: Record<string, string> & { AI_ASSISTANT_QUEUE_URL: string } = {
    ...model.env,
    AI_ASSISTANT_QUEUE_URL: redis.url,
    AI_ASSISTANT_REDIS_KEY: fleetKey,
    ...more,
  };
  const bare = path.join(space.home, 'remote.git');
  gitIn(space.home, 'clone', '-q', '--bare', space.root, bare);
  gitIn(bare, 'config', 'core.logAllRefUpdates', 'always');
  const file = path.join(space.home, 't.jsonl');
  return {
    space,
    git,
    model,
    redis,
    env,
    bare,
    url: `file://${bare}`,
    /** Connected to the server, for tests that look into it. */
    client() {
      const client = new Redis(redis.url, { maxRetriesPerRequest: null });
      client.on('error', () => undefined);
      onTestFinished(() => client.disconnect());
      return client;
    },
    worker: (args: string[] = [], own: Record<string, string> = {}) =>
      startWorker(space, args, { ...env, ...own }),
    /** Runs these tasks on the queue. */
    async submit(tasks: object[], args: string[] = [], options: AcaOptions = {}) {
      await writeFile(file, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
      return batch(space, [file, ...args], { ...options, env });
    },
    resume: (id: string, ...args: string[]) => batch(space, ['--resume', id, ...args], { env }),
    /** `aca fleet …`, with everything that it prints. */
    async fleet(...args: string[]) {
      const { code, stdout, stderr } = await aca(space, ['fleet', ...args], { env });
      return { code, text: stdout + stderr };
    },
    /** A file of a branch that was pushed. */
    show: (name: string) => gitIn(bare, 'show', name),
    /** How often the branch of a task was pushed. */
    pushes: (branch = '') => gitIn(bare, 'reflog', 'show', '--format=%H', `refs/heads/${branch}`).split('\n'),
  };
}

/** Waits until a process has said this. */
export async function said(worker: Pick<WorkerProcess, 'said'>, pattern: RegExp): Promise<void> {
  await expect.poll(worker.said, { timeout: 60_000, interval: 50 }).toMatch(pattern);
}

/** What belongs to tasks and batches; queues themselves stay. */
export async function keysOfTasks(client: Redis): Promise<string[]> {
  const keys = await client.keys('*');
  return keys.filter((key) => !/:(meta|events|id|stalled-check|marker|queues|drain|pc)$|:pace:/.test(key));
}
