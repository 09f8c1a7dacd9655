import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HealthCheck } from '../../src/contract/command.ts';
import { type AcaOptions, aca, doors } from '../support/aca.ts';
import { deadUrl } from '../support/loopback.ts';
import { says } from '../support/model-server/script.ts';
import { binary } from '../support/program.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Many starts of the program in one test: a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 });

type Answer = { type: 'doctor'; version: string; ok: boolean; checks: HealthCheck[] };

async function doctor(space: Workspace, args: string[] = [], options: AcaOptions = {}) {
  const { code, stdout, stderr } = await aca(space, ['doctor', '--json', ...args], options);
  const answer = JSON.parse(stdout) as Answer;
  const named = (name: string) => answer.checks.filter((check) => check.name === name);
  return { code, stderr, text: stdout, answer, named };
}

/** A vendor that takes one key, and remembers what it was sent. */
async function vendor(key: string): Promise<{ env: Record<string, string>; keys: (string | undefined)[] }> {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.statusCode = request.headers.authorization === `Bearer ${key}` ? 200 : 401;
    response.end('{"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { env } = doors['openai-chat'](`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { env: { ...env, AI_ASSISTANT_PROVIDER: 'openai-chat' }, keys };
}

test('[N04] where all is well: a key named by its place, a vendor that answers, exit code 0, and no key was sent', async () => {
  const space = await workspace();
  const { env, keys } = await vendor('sk-test');
  const { code, stderr, text, answer, named } = await doctor(space, [], { env });
  expect({ code, stderr, ok: answer.ok }).toEqual({ code: 0, stderr: '', ok: true });
  expect(named('model')).toEqual([{ name: 'model', state: 'ok', text: 'openai-chat/gpt-6.1-sol' }]);
  expect(named('key').map((check) => check.text)).toContain('openai-chat, from OPENAI_API_KEY');
  expect(named('reach')).toEqual([
    { name: 'reach', state: 'ok', text: expect.stringMatching(/^openai-chat at .* responded in \d+ ms$/) },
  ]);
  expect(answer.checks.filter(({ state }) => state === 'bad')).toEqual([]);
  expect(text).not.toContain('sk-test');
  expect(keys).toEqual([undefined]);
  // Looking leaves no trace on a machine where nothing was kept yet; a binary unpacks what it brings along.
  expect(await readdir(space.home)).toEqual(binary === undefined ? [] : ['.ai-assistant']);
});

test('[N04] --probe sends the key, and says whether it is taken', async () => {
  const space = await workspace();
  const good = await vendor('sk-test');
  const taken = await doctor(space, ['--probe'], { env: good.env });
  expect([taken.code, taken.named('reach').map(({ text }) => text)]).toEqual([
    0,
    [expect.stringMatching(/responded in \d+ ms and accepted the key$/)],
  ]);
  const strict = await vendor('sk-other');
  const refused = await doctor(space, ['--probe'], { env: strict.env });
  expect([refused.code, refused.named('reach')]).toEqual([
    1,
    [
      {
        name: 'reach',
        state: 'bad',
        text: expect.stringMatching(/rejected the key \(401\)$/),
        next: 'Store a valid key with `aca keys set openai-chat`.',
      },
    ],
  ]);
  // Accepted means that the same request without a key is refused.
  expect([good.keys, strict.keys]).toEqual([['Bearer sk-test', undefined], ['Bearer sk-test']]);
});

test('[N04] nothing configured, a vendor that is down, broken settings: each is said with what to do, and the code is 1', async () => {
  const space = await workspace();
  const nothing = await doctor(space);
  expect(nothing.code).toBe(1);
  expect(nothing.named('model')).toEqual([
    { name: 'model', state: 'bad', text: expect.any(String), next: expect.stringContaining('aca keys set') },
  ]);

  const { env } = doors['openai-chat'](await deadUrl());
  const down = await doctor(space, [], { env: { ...env, AI_ASSISTANT_PROVIDER: 'openai-chat' } });
  expect([down.code, down.named('reach')]).toEqual([
    1,
    [
      {
        name: 'reach',
        state: 'bad',
        text: expect.stringContaining('ECONNREFUSED'),
        next: expect.stringContaining('HTTPS_PROXY'),
      },
    ],
  ]);

  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  const file = path.join(root, 'config.json');
  await writeFile(file, '{\n  "maxTurns": "many"\n}\n');
  const broken = await doctor(space);
  expect(broken.code).toBe(1);
  expect(broken.named('settings')).toEqual([
    {
      name: 'settings',
      state: 'bad',
      text: `${file}:2:3: maxTurns must be a number.`,
      next: 'Fix it there; run `aca config schema` for a description of every setting.',
    },
  ]);
});

test(
  '[N06] offline, nobody is asked who is not at hand; a proxy is told without its password',
  soak,
  async () => {
    const space = await workspace();
    const { code, text, named } = await doctor(space, [], {
      env: {
        ANTHROPIC_API_KEY: 'sk-ant-test',
        AI_ASSISTANT_OFFLINE: '1',
        HTTPS_PROXY: 'http://user:hunter2@127.0.0.1:9',
      },
    });
    expect(named('reach').map((check) => check.text)).toEqual(['anthropic: not checked (offline)']);
    expect(named('proxy').map((check) => check.text)).toEqual(['HTTPS_PROXY=http://…@127.0.0.1:9']);
    expect(text).not.toContain('hunter2');
    expect(code).toBe(1);
  },
);

test('[N04] for people: aligned lines, what to do under each, the count at the end', async () => {
  const { code, stdout } = await aca(await workspace(), ['doctor'], {
    env: { AI_ASSISTANT_PROVIDER: 'anthropic' },
  });
  const lines = stdout.trimEnd().split('\n');
  const at = lines.findIndex((line) => line.startsWith('BAD   model '));
  expect(lines[at + 1]).toMatch(/^ {12,}Set ANTHROPIC_API_KEY, run/);
  expect([code, lines.at(-1)]).toEqual([1, '1 problem found.']);
});

test('[N04] on a terminal its abilities are told, and it is left as it was found', async () => {
  const space = await workspace();
  const terminal = openTerminal(space, ['doctor'], {
    LANG: 'C.UTF-8',
    AI_ASSISTANT_PROVIDER: 'anthropic',
  });
  await terminal.waitFor('problem found.');
  expect(await terminal.exitCode).toBe(1);
  expect(terminal.screen()).toMatch(
    /ok {4}terminal {2,}xterm-256color, 100 × 40, colours: 256, kitty keyboard: no/,
  );
  expect(terminal.screen()).toMatch(/ok {4}unicode {2,}C\.UTF-8/);
});

test('[N04] the sandbox is tried out, and each thing that was tried is told', async ({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
  const { answer, named } = await doctor(await workspace());
  expect(named('sandbox')).toMatchObject([{ state: 'ok' }]);
  const tried = answer.checks.filter(({ name }) => name.startsWith('sandbox: '));
  expect(tried.map(({ name, state }) => [name, state])).toEqual(
    ['kernel settings', 'devices', 'capabilities', 'system calls', 'other files', 'network', 'processes'].map(
      (name) => [`sandbox: ${name}`, 'ok'],
    ),
  );
});

test(
  '[N04] root is warned: by doctor, and once where a conversation begins, but not in JSON',
  soak,
  async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('needs root');
    const space = await workspace();
    const { named } = await doctor(space);
    expect(named('user')).toMatchObject([
      { state: 'warn', text: expect.stringContaining('Running as root') },
    ]);
    const server = await serve([says('hello'), says('hello')]);
    const { model, env } = doors['openai-chat'](server.url);
    const terminal = openTerminal(space, ['--plain', '--model', model], {
      ...env,
      AI_ASSISTANT_ROOT_EXPECTED: '0',
    });
    await terminal.waitFor('Running as root');
    terminal.type('hi\r');
    await terminal.waitFor('hello');
    expect(terminal.screen().split('Running as root')).toHaveLength(2);
    terminal.type('/quit\r');
    const json = await aca(space, ['-p', 'hi', '--model', model, '--output-format', 'json'], {
      env: { ...env, AI_ASSISTANT_ROOT_EXPECTED: '0' },
    });
    expect(json.stdout + json.stderr).not.toContain('Running as root');
  },
);
