// @module-tag soak
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cleanEnv, doors } from '../support/aca.ts';
import { calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const run = promisify(execFile);

/** An independent client of the protocol, and the Node that it needs. */
const PACKAGES = ['acpx@0.19.1', 'node@24'];
const folder = path.resolve('node_modules/.cache/acpx');
const acpx = path.join(folder, 'node_modules/acpx/dist/cli.js');
const node = path.join(folder, 'node_modules/node/bin/node');

beforeAll(async () => {
  if (existsSync(acpx) && existsSync(node)) return;
  await mkdir(folder, { recursive: true });
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', ...PACKAGES]);
}, 300_000);

/** The client with our program as its agent, in a folder of its own. */
async function client(script: readonly Step[], files: Record<string, string> = {}) {
  const space = await workspace(files);
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const line = program(['acp', '--model', model]);
  const agent = [line.file, ...line.args].map((word) => JSON.stringify(word)).join(' ');
  // It exits with an error when something was denied.
  const told = async (...args: string[]): Promise<string> => {
    const options = { cwd: space.root, env: cleanEnv(space, env) };
    const running = run(node, [acpx, '--agent', agent, ...args], options);
    const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => error);
    return stdout + stderr;
  };
  onTestFinished(async () => void (await told('sessions', 'close')));
  return { space, server, run: told };
}

const read = ['Read', { file_path: 'a.txt' }] as [string, object];
const edit = ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }] as [string, object];

describe('an independent client of the protocol', () => {
  test.each([
    ['--approve-all', 'one\nthree\n'],
    ['--deny-all', 'one\ntwo\n'],
  ])('%s: one prompt with an edit', async (flag, expected) => {
    const it = await client([calls(read), calls(edit), says('Finished.')], { 'a.txt': 'one\ntwo\n' });
    const told = await it.run(flag, 'exec', 'change it');

    expect(told).toContain('Finished.');
    expect(told).toContain('end_turn');
    expect(await readFile(path.join(it.space.root, 'a.txt'), 'utf8')).toBe(expected);
  });

  test('a session with several prompts, a mode, its list and its end', async () => {
    const it = await client([says('First answer.'), says('Second answer.')]);
    await it.run('sessions', 'new');
    expect(await it.run('hello')).toContain('First answer.');
    expect(await it.run('set-mode', 'plan')).toContain('plan');
    expect(await it.run('and again')).toContain('Second answer.');
    expect(JSON.stringify(it.server.requests[1])).toContain('First answer.');
    expect(await it.run('sessions')).toContain(it.space.root);
    await it.run('sessions', 'close');
  });

  test('cancel', async () => {
    const it = await client([hangs()]);
    await it.run('sessions', 'new');
    const prompted = it.run('wait');
    await expect.poll(() => it.server.requests.length, { timeout: 20_000 }).toBe(1);
    await it.run('cancel');

    expect(await prompted).toMatch(/cancel/i);
  });
});
