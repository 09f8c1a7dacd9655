import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';
import { mustRun } from './needed.ts';
import { isInstalled } from './on-path.ts';
import { caFile, keyFile } from './tls-server.ts';

/** For tests that are reported as skipped without it. */
export const hasRedis = mustRun || isInstalled('redis-server');

export type RedisServer = {
  url: string;
  /** Where its append-only file is. */
  folder: string;
  stop(): Promise<void>;
  start(): Promise<void>;
};

export type RedisServerOptions = {
  /** With an append-only file. */
  durable?: boolean;
  /** Speaks TLS with our test certificate. */
  tls?: boolean;
  /** More arguments, for example a password. */
  settings?: readonly string[];
};

/** A real Redis server for the test on a free local port; without persistence, unless it is `durable`. */
export async function redisServer({
  durable = false,
  tls = false,
  settings = [],
}: RedisServerOptions = {}): Promise<RedisServer> {
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
    const where = [
      '--bind',
      '127.0.0.1',
      '--dir',
      folder,
      ...(tls ? withTls(port) : ['--port', String(port)]),
    ];
    const kept = ['--save', '', '--appendonly', durable ? 'yes' : 'no'];
    const running = spawn('redis-server', [...where, ...kept, ...settings], { stdio: 'ignore' });
    child = running;
    while (!(await answers(port, tls))) {
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
  const url = `${tls ? 'rediss' : 'redis'}://127.0.0.1:${port}`;
  return { url, folder, stop, start: async () => void (await start()) };
}

function withTls(port: number): string[] {
  const files = ['--tls-cert-file', caFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', caFile];
  return ['--port', '0', '--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
}

function answers(port: number, tls: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const ask = () => socket.write('PING\r\n');
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, ask)
      : connect(port, '127.0.0.1', ask);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(/^(\+PONG|-NOAUTH)/.test(String(data)));
    });
    socket.once('error', () => resolve(false));
  });
}
