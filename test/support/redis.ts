import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/** For tests that are reported as skipped without it. */
export const hasRedis = isInstalled('redis-server');

export type RedisServer = { url: string; stop(): Promise<void>; start(): Promise<void> };

/** A real Redis server for the test on a free local port; without persistence, unless it is `durable`. */
export async function redisServer({ durable = false } = {}): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-redis-'));
  let port = await freePort();
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const start = async () => {
    const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
    const program = 'redis-server';
    const running = spawn(program, [...where, '--save', '', '--appendonly', durable ? 'yes' : 'no'], {
      stdio: 'ignore',
    });
    child = running;
    while (!(await answers(port))) {
      if (running.exitCode !== null) return false;
      await pause(20);
    }
    return running.exitCode === null;
  };
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true });
  });
  // Another program may have taken the port meanwhile.
  while (!(await start())) port = await freePort();
  return { url: `redis://127.0.0.1:${port}`, stop, start: async () => void (await start()) };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
