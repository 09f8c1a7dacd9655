import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { aca, cleanEnv } from './aca.ts';
import { program } from './program.ts';
import type { Workspace } from './workspace.ts';

/** A browser that is signed in. */
export type Browser = { cookie: string; key: string };

/** `aca serve`, running, and what its owner does with it. */
export class Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly child: ChildProcess;
  /** What it wrote to its standard error. */
  errors = '';
  readonly #space: Workspace;

  private constructor(space: Workspace, child: ChildProcess, about: { url: string; token: string }) {
    this.#space = space;
    this.child = child;
    this.url = about.url;
    this.token = about.token;
    this.port = Number(new URL(about.url).port);
  }

  static async start(
    space: Workspace,
    { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
  ): Promise<Served> {
    const line = program(['serve', '--listen', '127.0.0.1:0', ...args]);
    const child = spawn(line.file, line.args, {
      cwd: space.home,
      env: cleanEnv(space, env),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const read = (name: string) => readFile(path.join(folderOf(space), name), 'utf8').catch(() => '');
    let record = '';
    for (; record === ''; await pause(20)) {
      if (child.exitCode !== null)
        throw new Error(`It ended with ${child.exitCode}: ${child.stderr?.read()}`);
      record = await read('server.json');
    }
    const { url } = JSON.parse(record) as { url: string };
    const served = new Served(space, child, { url, token: (await read('token')).trim() });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      served.errors += text;
    });
    return served;
  }

  /** The secret in the link that a command prints. */
  async secretOf(args: string[]): Promise<string> {
    const { stdout } = await aca(this.#space, ['serve', ...args]);
    const secret = /#code=([\w-]+)/.exec(stdout)?.[1];
    if (secret === undefined) throw new Error(`No link: ${stdout}`);
    return secret;
  }

  async signIn(
    code: string,
    name = '',
  ): Promise<Browser & { status: number; body: Record<string, unknown> }> {
    const { url } = this;
    const response = await fetch(`${url}/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ code, name }),
    });
    const text = await response.text();
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { cookie, key: String(body.key), status: response.status, body };
  }

  async signOut({ cookie, key }: Browser): Promise<void> {
    const headers = { origin: this.url, cookie, 'x-aca-key': key };
    await fetch(`${this.url}/api/sign-out`, { method: 'POST', headers });
  }
}

export function folderOf(space: Workspace): string {
  return path.join(space.home, '.ai-assistant/serve');
}
