import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { cleanEnv } from './aca.ts';
import { program } from './program.ts';
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

/** What belongs to tasks and batches; queues themselves stay. */
export async function keysOfTasks(client: Redis): Promise<string[]> {
  const keys = await client.keys('*');
  return keys.filter((key) => !/:(meta|events|id|stalled-check|marker|queues|drain|pc)$/.test(key));
}
