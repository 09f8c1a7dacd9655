import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { spawn } from '@lydell/node-pty';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleScript } from '../../../test/support/bundle-script.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { writtenTo } from '../../../test/support/written-to.ts';
import { keysCommand } from './keys.ts';

const KEY = 'sk-ant-0123456789';

async function setUp() {
  const { home, root } = await workspace();
  const file = path.join(home, 'credentials.json');
  const run = async (args: string[], input = '') => {
    const stdin = new PassThrough();
    stdin.end(input);
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const env = { AI_ASSISTANT_HOME: home, AI_ASSISTANT_KEYCHAIN: '0' };
    const providers = ['anthropic', 'openai'];
    const command = keysCommand({ env, cwd: root, stdin, stdout, stderr, providers });
    await command.parseAsync(args, { from: 'user' });
    return { out: writtenTo(stdout), err: writtenTo(stderr) };
  };
  return { home, root, file, run };
}

describe('keys', () => {
  test('set reads from a pipe; list and remove know the key; it is never shown', async () => {
    const { run, file } = await setUp();

    expect(await run(['set', 'anthropic'], `${KEY}\n`)).toEqual({
      out: `Stored the anthropic key (…6789) in ${file}\n`,
      err: 'Could not use the system keychain: AI_ASSISTANT_KEYCHAIN turns it off.\n',
    });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ anthropic: { key: KEY } });
    expect(await run(['list'])).toEqual({ out: `anthropic  …6789  ${file}\n`, err: '' });
    await expect(run(['remove', 'antropic'])).rejects.toThrow(
      'No key is stored for antropic. Did you mean anthropic?',
    );
    expect(await run(['remove', 'anthropic'])).toEqual({
      out: 'Removed the anthropic key.\n',
      err: '',
    });
    expect(await run(['list'])).toEqual({
      out: '',
      err: 'No keys stored. Add one with `aca keys set PROVIDER`.\n',
    });
  });

  test('--name stores several keys of a provider side by side; each is listed and removed by its name', async () => {
    const { run, file } = await setUp();
    await run(['set', 'anthropic'], KEY);
    expect(await run(['set', 'anthropic', '--name', 'work'], 'sk-ant-work-4321')).toEqual({
      out: `Stored the anthropic (work) key (…4321) in ${file}\n`,
      err: expect.stringContaining('Use it with --account work, or /account work in a conversation.\n'),
    });
    expect((await run(['list'])).out).toBe(
      `anthropic  default  …6789  ${file}\nanthropic  work     …4321  ${file}\n`,
    );
    expect((await run(['list', '--name', 'work'])).out).toBe(`anthropic  work  …4321  ${file}\n`);
    await expect(run(['delete', 'anthropic', '--name', 'home'])).rejects.toThrow(
      'No key is stored for anthropic (home).',
    );
    expect((await run(['delete', 'anthropic', '--name', 'work'])).out).toBe(
      'Removed the anthropic (work) key.\n',
    );
    expect((await run(['list'])).out).toBe(`anthropic  …6789  ${file}\n`);
    await expect(run(['set', 'anthropic', '--name', 'a b'], KEY)).rejects.toThrow('not a valid account name');
  });

  test('no key is stored for an unknown provider', async () => {
    const { run, file } = await setUp();
    await expect(run(['set', 'opnai'], KEY)).rejects.toThrow('Unknown provider opnai. Did you mean openai?');
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([
    ['', 'No key entered; nothing was stored.'],
    [' \n', 'No key entered; nothing was stored.'],
    ['sk-1\nsk-2', 'That does not look like a key'],
    ['sk-\u200b1', 'That does not look like a key'],
  ])('%j is no key', async (input, message) => {
    const { run, file } = await setUp();
    await expect(run(['set', 'anthropic'], input)).rejects.toThrow(message);
    await expect(readFile(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe.runIf(process.platform !== 'win32')('at a terminal', () => {
  async function type(text: string) {
    const { home, root, file } = await setUp();
    const outfile = path.resolve('node_modules/.cache', `keys-${path.basename(path.dirname(root))}.mjs`);
    await bundleScript('test/support/set-key.ts', outfile);
    onTestFinished(() => rm(outfile, { force: true }));

    const env = { ...process.env, AI_ASSISTANT_HOME: home, AI_ASSISTANT_KEYCHAIN: '0' };
    const terminal = spawn(process.execPath, [outfile], { env, cols: 200 });
    onTestFinished(() => terminal.kill());
    let screen = '';
    let typed = false;
    terminal.onData((data) => {
      screen += data;
      if (!typed && screen.includes('Key for anthropic: ')) {
        typed = true;
        terminal.write(text);
      }
    });
    const exitCode = await new Promise((resolve) => terminal.onExit((exit) => resolve(exit.exitCode)));
    return { screen, exitCode, stored: await readFile(file, 'utf8').then(JSON.parse, () => null) };
  }

  test('the key is asked for and not echoed; backspace works', async () => {
    const { screen, exitCode, stored } = await type(`oops\u0015${KEY}x\u007f\r`);
    expect({ exitCode, stored }).toEqual({ exitCode: 0, stored: { anthropic: { key: KEY } } });
    expect(screen).not.toContain('oops');
    expect(screen).not.toContain(KEY.slice(0, -4));
    expect(screen).toContain('Stored the anthropic key (…6789) in');
  });

  test('Ctrl-C stores nothing', async () => {
    const { screen, exitCode, stored } = await type(`${KEY}\u0003`);
    expect({ exitCode, stored }).toEqual({ exitCode: 0, stored: null });
    expect(screen).toContain('Cancelled; nothing was stored.');
  });
});
