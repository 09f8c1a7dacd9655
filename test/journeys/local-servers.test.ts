import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { TASK } from '../support/quirks/brain.ts';
import { type Quirk, serveQuirk } from '../support/quirks/server.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const LOADING = { status: 503, body: { error: { code: 503, message: 'Loading model' } } };
const WAITING = 'llama.cpp server is still loading its model; waiting. Press Ctrl+C to stop.\n';

async function machine(quirk: Partial<Quirk>) {
  const server = await serveQuirk({
    name: 'a server',
    provider: 'llamacpp',
    asides: { '/props': { default_generation_settings: { n_ctx: 8192 } } },
    ...quirk,
  });
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const env = { LLAMACPP_BASE_URL: `${server.url}/v1` };
  const run = (args: string[], more: Record<string, string> = {}) =>
    aca(space, args, { env: { ...env, ...more } });
  return { server, space, env, run };
}

const task = (...args: string[]) => ['-p', TASK, '--mode', 'accept-edits', ...args];

describe('a server that is still loading its model', () => {
  const loadsFor = (requests: number): Partial<Quirk> => ({
    gate: ({ before }) => (before < requests ? LOADING : null),
  });

  sweep([
    ['a named model', ['--model', 'llamacpp/tiny']],
    ['whatever is there', []],
  ])('is waited for: %s', async (_what, args) => {
    const { run, server } = await machine(loadsFor(7));
    expect(await run(task(...args))).toEqual({ code: 0, stdout: 'Copied alpha.\n', stderr: WAITING });
    // What it says once it is loaded counts: a small window gets few tools.
    expect(server.asked[0]?.body.tools).toHaveLength(6);
  });

  test('is listed as such', async () => {
    const { run, server } = await machine({ gate: () => LOADING });
    const { stdout } = await run(['models']);
    expect(stdout.split('\n')[0]?.replaceAll(/ +/g, ' ')).toBe(
      `llamacpp still loading its model ${server.url}/v1`,
    );
  });

  test('the wait can be interrupted in a headless run', soak, async () => {
    const { space, env } = await machine({ gate: () => LOADING });
    const { code, stderr } = await aca(space, task('--model', 'llamacpp/tiny'), {
      env,
      onSpawn: (child) => child.stderr?.on('data', () => child.kill('SIGINT')),
    });
    expect(code).not.toBe(0);
    expect(stderr).toBe(WAITING);
  });

  sweep([[[]], [['--plain']]])('the wait can be interrupted on the screen %j', async (flags) => {
    const { space, env } = await machine({ gate: () => LOADING });
    const screen = openTerminal(space, [...flags, '--model', 'llamacpp/tiny'], env);
    await screen.waitFor('still loading its model; waiting');
    screen.type('\u0003');
    await screen.waitFor('Stopped waiting for llama.cpp server.');
    expect(await screen.exitCode).toBe(1);
  });
});

describe('a server that needs a key', () => {
  const locked: Partial<Quirk> = {
    gate: ({ authorization }) =>
      authorization === 'Bearer secret'
        ? null
        : { status: 401, body: { error: { message: 'Invalid API Key' } } },
  };

  test('says so, with how to give it', soak, async () => {
    const { run, server } = await machine(locked);
    const hint = 'Set LLAMA_API_KEY, or store one with `aca keys set llamacpp`.\n';
    const at = `llama.cpp server at ${server.url}/v1`;
    const args = task('--model', 'llamacpp/tiny');
    expect(await run(args)).toEqual({ code: 2, stdout: '', stderr: `${at} needs a key.\n${hint}` });
    expect(await run(args, { LLAMA_API_KEY: 'wrong' })).toMatchObject({
      code: 2,
      stderr: `${at} rejected your key.\n${hint}`,
    });
    const listed = await run(['models']);
    expect(listed.stdout.split('\n')[0]?.replaceAll(/ +/g, ' ')).toBe(
      'llamacpp needs a key aca keys set llamacpp',
    );
    const { stderr } = await run(task());
    expect(stderr).toContain('found, needs a key: aca keys set llamacpp');
  });

  sweep([
    ['its variable', { LLAMA_API_KEY: 'secret' }],
    ['the general variable, for a named model', { AI_ASSISTANT_API_KEY: 'secret' }],
  ])('gets it from %s, for questions about its models, too', async (_what, more) => {
    const { run, server } = await machine(locked);
    const done = await run(task('--model', 'llamacpp/tiny'), more);
    expect(done).toEqual({ code: 0, stdout: 'Copied alpha.\n', stderr: '' });
    expect(server.asked[0]?.body.tools).toHaveLength(6);
  });

  test('is found with its own key, and never sent one that may belong to another vendor', async () => {
    const { run, server } = await machine(locked);
    const { stdout } = await run(['models'], { LLAMA_API_KEY: 'secret' });
    expect(stdout.split('\n')[0]).toMatch(/^llamacpp\/tiny +8K context/);
    const before = server.keys.length;
    await run(['models'], { AI_ASSISTANT_API_KEY: 'secret' });
    expect(server.keys.slice(before).every((key) => key === undefined)).toBe(true);
  });
});

describe('a window that the server states only when it refuses', () => {
  const WINDOW = 3000;
  const tokens = (body: unknown) => JSON.stringify(body).length / 4;
  const strict: Partial<Quirk> = {
    asides: {},
    refuses: ({ body }) =>
      tokens(body) > WINDOW
        ? {
            status: 400,
            body: {
              error: {
                message: `request (${Math.ceil(tokens(body))} tokens) exceeds the available context size (${WINDOW} tokens), try increasing it`,
              },
            },
          }
        : null,
  };

  test('is learned, the request made smaller, and the window kept for the next run', soak, async () => {
    const { run, server, space } = await machine(strict);
    const args = task('--model', 'llamacpp/tiny');
    const first = await run(args);
    expect(first).toMatchObject({ code: 0, stdout: 'Copied alpha.\n' });
    expect(first.stderr).toContain('llamacpp/tiny has a context window of 3000 tokens.');
    expect(await readFile(path.join(space.root, 'b.txt'), 'utf8')).toBe('alpha');

    const asked = server.asked.length;
    expect(await run(args)).toMatchObject({ code: 0, stderr: '' });
    const after = server.asked.slice(asked);
    expect(after.filter(({ body }) => tokens(body) > WINDOW)).toEqual([]);
  });
});

describe('a server that answers with nothing', () => {
  sweep([
    ['ollama', 'OLLAMA_HOST', ''],
    ['llamacpp', 'LLAMACPP_BASE_URL', '/v1'],
  ])('%s: it is asked once more; then that is said', async (provider, variable, folder) => {
    const server = await serve([says(''), says('')], { keyless: true });
    const { code, stdout, stderr } = await aca(
      await workspace(),
      ['-p', 'go', '--model', `${provider}/tiny`, '--verbose'],
      { env: { [variable]: `${server.url}${folder}` } },
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The model returned nothing. Retrying.');
    expect(stderr).toMatch(/The model returned nothing\.(?! Retrying)/);
    expect(server.requests).toHaveLength(2);
  });
});
