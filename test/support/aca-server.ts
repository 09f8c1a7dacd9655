import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { cleanEnv, doors } from './aca.ts';
import { Member, type MemberOptions } from './hosted.ts';
import type { Step } from './model-server/script.ts';
import { program } from './program.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

type Record = { url: string; process: { pid: number } };

const dataRoot = (space: Workspace) => path.join(space.home, '.ai-assistant');

/** The running server, as it is recorded. */
export async function recordOf(space: Workspace, differsFrom?: number): Promise<Record> {
  for (;;) {
    const text = await readFile(path.join(dataRoot(space), 'serve/server.json'), 'utf8').catch(() => '');
    const record = text === '' ? null : (JSON.parse(text) as Record);
    if (record && record.process.pid !== differsFrom) return record;
    await pause(20);
  }
}

/** A model that plays this script, and how to start the server with it. */
export async function prepared(
  space: Workspace,
  script: readonly Step[] | Extract<Step, (...args: never[]) => unknown>,
  flags: readonly string[] = [],
) {
  const model = await serve(typeof script === 'function' ? Array(10_000).fill(script) : script);
  const { model: name, env } = doors.anthropic(model.url);
  const start = async (before?: number) => {
    const line = program(['serve', '--listen', '127.0.0.1:0', '--model', name, ...flags]);
    const child = spawn(line.file, line.args, {
      cwd: space.home,
      env: cleanEnv(space, env),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ...(await recordOf(space, before)) };
  };
  const join = async (url: string, options: MemberOptions = {}) => {
    const token = (await readFile(path.join(dataRoot(space), 'serve/token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}` };
    return Member.connect(`${url.replace('http', 'ws')}/acp`, { ...options, headers });
  };
  return { model, name, env, start, join };
}

/** Resolves with the exit code; null after a signal. */
export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', resolve);
  });
}
