import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cleanEnv, doors } from './aca.ts';
import type { Step } from './model-server/script.ts';
import { startModelServer } from './model-server/server.ts';
import { program } from './program.ts';
import type { Workspace } from './workspace.ts';

export type PageServer = {
  url: string;
  /** Of `aca serve`. */
  pid: number;
  /** Signs the owner in, once. */
  link(): Promise<string>;
  /** For a guest. */
  invite(role: 'viewer' | 'editor', name: string): Promise<string>;
  /** Another process on the same port, after the first was killed. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export type PageServerOptions = { flags?: readonly string[]; env?: Record<string, string> };

/** `aca serve` as users start it, with a model that plays a script, or one that runs already. */
export async function startPageServer(
  space: Workspace,
  script: readonly Step[] | { url: string },
  { flags = [], env: more = {} }: PageServerOptions = {},
): Promise<PageServer> {
  const model =
    'url' in script ? { ...script, close: async () => undefined } : await startModelServer(script);
  const { model: name, env: keys } = doors.anthropic(model.url);
  const env = cleanEnv(space, { ...keys, ...more });
  const file = path.join(space.home, '.ai-assistant/serve/server.json');
  const start = async (listen: string) => {
    const line = program(['serve', '--listen', listen, '--model', name, ...flags]);
    const child = spawn(line.file, line.args, {
      cwd: space.home,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    for (;;) {
      const text = await readFile(file, 'utf8').catch(() => '');
      const { url, process: of } = text === '' ? {} : JSON.parse(text);
      if (of?.pid === child.pid) return { child, url: url as string };
      if (child.exitCode !== null) throw new Error(`The server ended with code ${child.exitCode}.`);
      await pause(20);
    }
  };
  let running = await start('127.0.0.1:0');
  const run = async (...args: string[]) => {
    const line = program(['serve', ...args]);
    const { stdout } = await promisify(execFile)(line.file, line.args, { cwd: space.home, env });
    return /^\S+#code=\S+$/m.exec(stdout)?.[0] ?? `no link in: ${stdout}`;
  };
  const stop = () =>
    new Promise<void>((resolve) => {
      if (running.child.exitCode !== null || running.child.signalCode !== null) resolve();
      running.child.once('exit', () => resolve());
      running.child.kill('SIGKILL');
    });
  return {
    url: running.url,
    get pid() {
      return running.child.pid ?? 0;
    },
    link: () => run('link'),
    invite: (role, guest) => run('invite', '--role', role, '--name', guest),
    restart: async () => {
      await stop();
      running = await start(new URL(running.url).host);
    },
    close: async () => {
      await stop();
      await model.close();
    },
  };
}
