import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { aca, cleanEnv, doors } from '../support/aca.ts';
import { type Step, says } from '../support/model-server/script.ts';
import { program } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const inRoot = (space: Workspace, ...names: string[]) => path.join(space.home, '.ai-assistant', ...names);

async function open(space: Workspace, script: Step[], env: Record<string, string> = {}) {
  const server = await serve(script);
  const door = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', door.model], { ...door.env, ...env });
  await terminal.waitFor('> ');
  return { server, terminal };
}

/** A session file as the program writes it, unused for some days. */
async function oldSession(space: Workspace, id: string, days: number): Promise<void> {
  const startedAt = new Date(Date.now() - days * DAY_MS).toISOString();
  const header = {
    type: 'header',
    version: 1,
    id,
    workingDirectory: space.root,
    startedAt,
    settings: { model: 'a/b' },
  };
  const content = [{ type: 'text', text: `prompt of ${id}` }];
  const message = { type: 'message', message: { role: 'user', content, timestamp: startedAt } };
  await mkdir(inRoot(space, 'sessions'), { recursive: true });
  const file = inRoot(space, 'sessions', `${id}.jsonl`);
  await writeFile(file, `${JSON.stringify(header)}\n${JSON.stringify(message)}\n`);
  const then = new Date(startedAt);
  await utimes(file, then, then);
}

describe('what was typed', () => {
  test('[C02] comes back with the arrow keys in the next session, this folder last; answers do not', async () => {
    const space = await workspace();
    const first = await open(space, [says('One.'), says('Two.')]);
    first.terminal.type('first prompt\r');
    await first.terminal.waitFor('One.');
    first.terminal.type('/rewind 1\r');
    await first.terminal.waitFor('[c/f/b] ');
    first.terminal.type('\r');
    await first.terminal.waitFor('Nothing was changed.');
    first.terminal.type('second prompt\r');
    await first.terminal.waitFor('Two.');
    first.terminal.type('/quit\r');
    await first.terminal.exitCode;

    const { terminal, server } = await open(space, [says('Again.')]);
    terminal.type('\x1b[A\x1b[A');
    await terminal.waitFor('> second prompt');
    terminal.type('\x1b[A\x1b[A');
    await terminal.waitFor('> first prompt');
    terminal.type(' once more\r');
    await terminal.waitFor('Again.');
    expect(server.requests[0]?.messages.at(-1)?.text).toBe('first prompt once more');
    terminal.type('/history SECOND\r');
    await terminal.waitFor('  second prompt');
    expect((await stat(inRoot(space, 'history.jsonl'))).mode & 0o777).toBe(0o600);
  });

  test('[C02] Ctrl-R brings back the last prompt that holds what was typed, then the one before it', async () => {
    const space = await workspace();
    const { terminal, server } = await open(space, [
      says('One.'),
      says('Two.'),
      says('Three.'),
      says('Four.'),
    ]);
    for (const [prompt, answer] of [
      ['mend the login', 'One.'],
      ['look at the cart', 'Two.'],
      ['test the LOGIN again', 'Three.'],
    ] as const) {
      terminal.type(`${prompt}\r`);
      await terminal.waitFor(answer);
    }
    terminal.type('login\x12');
    await terminal.waitFor('> test the LOGIN again', 2);
    terminal.type('\x12');
    await terminal.waitFor('> mend the login', 2);
    terminal.type(' now\r');
    await terminal.waitFor('Four.');
    expect(server.requests[3]?.messages.at(-1)?.text).toBe('mend the login now');
  });

  test('[N12] a pasted key is not among what the arrow keys bring back', async () => {
    const space = await workspace();
    const server = await serve([says('Hello there.')]);
    const terminal = openTerminal(space, ['--plain'], { ANTHROPIC_BASE_URL: server.url });
    await terminal.waitFor('[k] paste an API key');
    terminal.type('k\r');
    await terminal.waitFor('API key (not shown): ');
    terminal.type('sk-ant-pasted-key\r');
    await terminal.waitFor('Commands run ');
    terminal.type('hello\r');
    await terminal.waitFor('Hello there.');
    terminal.type('\x1b[A');
    await terminal.waitFor('> hello', 2);
    terminal.type('\x1b[A!');
    await terminal.waitFor('> !');
    expect(terminal.screen()).not.toContain('pasted-key');
    expect(await readFile(inRoot(space, 'history.jsonl'), 'utf8')).not.toContain('pasted-key');
  });

  test('with saveHistory off nothing typed is kept', soak, async () => {
    const space = await workspace();
    const off = { AI_ASSISTANT_SAVE_HISTORY: '0' };
    const { terminal } = await open(space, [says('One.')], off);
    terminal.type('secret prompt\r');
    await terminal.waitFor('One.');
    terminal.type('/rename secret\r');
    await terminal.waitFor('is now "secret"');
    terminal.type('/fork\r');
    await terminal.waitFor('Sessions are not saved here.');
    terminal.type('/quit\r');
    await terminal.exitCode;
    await expect(stat(inRoot(space, 'history.jsonl'))).rejects.toThrow('ENOENT');
    await expect(stat(inRoot(space, 'sessions'))).rejects.toThrow('ENOENT');
  });
});

describe('housekeeping', () => {
  test(
    '[S05] [Y38] what had its time is named after the first answer, and goes a day later; pinned ones stay; once a day',
    soak,
    async () => {
      const space = await workspace();
      await oldSession(space, 'aaaa0000', 40);
      await oldSession(space, 'bbbb0000', 40);
      await oldSession(space, 'cccc0000', 10);
      await aca(space, ['sessions', 'pin', 'bbbb0000']);
      const then = new Date(Date.now() - 40 * DAY_MS);
      await utimes(inRoot(space, 'sessions', 'bbbb0000.jsonl'), then, then);
      const listed = async () => {
        const { stdout } = await aca(space, ['sessions', '--json']);
        return (JSON.parse(stdout) as { id: string }[])
          .map(({ id }) => id)
          .filter((id) => /0000$/.test(id))
          .sort();
      };
      const dry = await aca(space, ['sessions', 'clean', '--dry-run']);
      expect(dry.stdout).toMatch(
        /^aaaa0000 [\s\S]*unused for more than 30 days\n1 sessions would be removed\.\n$/,
      );
      expect(await listed()).toEqual(['aaaa0000', 'bbbb0000', 'cccc0000']);

      const { terminal } = await open(space, [says('One.'), says('Two.')]);
      expect(await listed()).toEqual(['aaaa0000', 'bbbb0000', 'cccc0000']);
      terminal.type('hello\r');
      await terminal.waitFor('One.');
      const marker = inRoot(space, 'last-housekeeping');
      await expect.poll(() => existsSync(marker), { timeout: 30_000, interval: 200 }).toBe(true);
      terminal.type('go on\r');
      await terminal.waitFor(
        '1 session will be removed tomorrow or later (unused for more than 30 days): aaaa0000',
      );
      terminal.type('/quit\r');
      await terminal.exitCode;
      expect(await listed()).toEqual(['aaaa0000', 'bbbb0000', 'cccc0000']);

      const dayBefore = Date.now() - DAY_MS - 60_000;
      await writeFile(marker, JSON.stringify({ announced: { aaaa0000: dayBefore } }));
      await utimes(marker, dayBefore / 1000, dayBefore / 1000);
      const later = await open(space, [says('One.'), says('Two.')]);
      later.terminal.type('hello\r');
      await later.terminal.waitFor('One.');
      await expect.poll(listed, { timeout: 30_000, interval: 200 }).toEqual(['bbbb0000', 'cccc0000']);
      later.terminal.type('go on\r');
      await later.terminal.waitFor('1 session was removed (unused for more than 30 days; ');
      await oldSession(space, 'dddd0000', 40);
      later.terminal.type('/quit\r');
      await later.terminal.exitCode;

      const second = await open(space, [says('Three.')]);
      second.terminal.type('hello\r');
      await second.terminal.waitFor('Three.');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(await listed()).toEqual(['bbbb0000', 'cccc0000', 'dddd0000']);
      expect((await aca(space, ['sessions', 'clean'])).stdout).toContain('1 sessions removed');
      expect(await listed()).toEqual(['bbbb0000', 'cccc0000']);
    },
  );

  test('a headless run removes nothing; usage says what takes up space', soak, async () => {
    const space = await workspace();
    await oldSession(space, 'aaaa0000', 40);
    const server = await serve([says('One.')]);
    const { model, env } = doors.anthropic(server.url);
    await aca(space, ['-p', 'go', '--model', model], { env });
    expect((await aca(space, ['sessions'])).stdout).toContain('aaaa0000');
    const { stdout } = await aca(space, ['sessions', 'usage']);
    expect(stdout).toMatch(/^ *\d+(\.\d)? [KM]?B +\S+\/sessions$/m);
  });
});

test(
  '[S03] 1,000 sessions are listed, the newest first, and the second time from what was learnt',
  soak,
  async () => {
    const space = await workspace();
    const ids = Array.from({ length: 1000 }, (_, i) => `${String(i).padStart(4, '0')}-session`);
    await Promise.all(ids.map((id, i) => oldSession(space, id, i / 100)));
    const first = await aca(space, ['sessions', '--json']);
    expect((JSON.parse(first.stdout) as { id: string }[]).map(({ id }) => id)).toEqual(ids);
    const again = await aca(space, ['sessions', '--json']);
    expect(again.stdout).toBe(first.stdout);
    expect((await aca(space, ['sessions'])).stdout.split('\n').length).toBe(1001);
    if (process.platform !== 'win32')
      expect(await readLate(space, ['sessions', '--json'])).toBe(first.stdout);
  },
);

/** Standard output, as a reader gets it who takes a moment before the first byte: more than a pipe holds must wait. */
async function readLate(space: Workspace, args: string[]): Promise<string> {
  const { file, args: all } = program(args);
  const { stdout } = await promisify(execFile)('sh', ['-c', '"$@" | { sleep 1; cat; }', 'sh', file, ...all], {
    cwd: space.root,
    env: cleanEnv(space),
    maxBuffer: 10_000_000,
  });
  return stdout;
}
