import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import type { LogEntry } from '../../src/observability/log/log-entry.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, fails, hangs, type Step, says } from '../support/model-server/script.ts';
import { binary } from '../support/program.ts';
import { openScreen } from '../support/screen.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { withinOneDay } from '../support/within-one-day.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const rootOf = (space: Workspace) => path.join(space.home, '.ai-assistant');
const logOf = (space: Workspace) => path.join(rootOf(space), 'logs', 'aca.jsonl');

async function configure(space: Workspace, config: ConfigInput): Promise<void> {
  await mkdir(rootOf(space), { recursive: true });
  await writeFile(path.join(rootOf(space), 'config.json'), JSON.stringify(config));
}

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], more: Record<string, string> = {}) =>
    aca(space, [...args, '--model', model], { env: { ...env, ...more } });
  const terminal = (args: string[]) => openTerminal(space, [...args, '--model', model], env);
  return { server, run, terminal };
}

async function entriesOf(file: string): Promise<LogEntry[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const brief = ({ level, message, context }: LogEntry) =>
  [level, message, context.toolName].filter(Boolean).join(' ');

describe('[O06] the log of the program', () => {
  test(
    'a run without trouble leaves none; --debug tells every step, and not a word of what was said',
    soak,
    async () => {
      const space = await workspace({ 'a.txt': 'ALPHA' });
      const script = () => [calls(['Read', { file_path: 'a.txt' }]), says('BETA')];
      expect((await (await start(space, script())).run(['-p', 'GAMMA'])).code).toBe(0);
      expect(existsSync(path.dirname(logOf(space)))).toBe(false);

      const { code, stderr } = await (await start(space, script())).run(['-p', 'GAMMA', '--debug']);

      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const entries = await entriesOf(logOf(space));
      expect(entries.map(brief).filter((line) => !line.includes('cache '))).toEqual([
        'info run started',
        'debug turn started',
        'debug model answered',
        'debug call allowed Read',
        'debug call started Read',
        'debug call done Read',
        'debug turn started',
        'debug model answered',
        'info run ended',
      ]);
      expect(new Set(entries.map(({ context }) => context.traceId)).size).toBe(1);
      expect(JSON.stringify(entries)).not.toMatch(/ALPHA|BETA|GAMMA|sk-ant-test/);
    },
  );

  test(
    'the environment says how much and where; warnings are there without being asked for',
    soak,
    async () => {
      const space = await workspace();
      const file = path.join(space.root, 'my.log');
      const failing = await start(space, [fails(400, { message: 'no such thing' })]);
      await failing.run(['-p', 'go'], { AI_ASSISTANT_LOG: `info:${file}` });
      expect((await entriesOf(file)).map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
      expect(existsSync(logOf(space))).toBe(false);

      await (await start(space, [fails(400, { message: 'no such thing' })])).run(['-p', 'go']);
      expect((await entriesOf(logOf(space))).map(brief)).toEqual([
        'warn model failed',
        expect.stringMatching(/^error run ended: .*no such thing/),
      ]);

      const wrong = await failing.run(['-p', 'go'], { AI_ASSISTANT_LOG: 'loud' });
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('AI_ASSISTANT_LOG');
    },
  );

  test('a bug that ends the program is in it, with its place in the source', soak, async () => {
    const words = 'This is a bug in ai-code-assistant';
    const chunk = binary === undefined ? await placeOf(words) : '/program/main.cjs:1:1';
    // Thrown where nobody waits, and from a place of the program's: what a plugin throws there would not be fatal.
    const stack = `Error: a bug\\n    at explain (${chunk})`;
    const bug = `const bug = new Error('a bug'); bug.stack = '${stack}'; setTimeout(() => { throw bug; }, 1);`;
    const space = await workspace({ 'p.mjs': `${bug}\nexport default { name: 'p', version: '1.0.0' };` });
    await configure(space, { plugins: [path.join(space.root, 'p.mjs')] });
    const { code, stderr } = await (await start(space, [hangs()])).run(['-p', 'go']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('a bug');
    const entries = await entriesOf(logOf(space));
    expect(entries.map(brief)).toEqual(['error uncaught error: a bug']);
    if (binary === undefined)
      expect(entries[0]).toMatchObject({
        metadata: {
          stack: expect.stringMatching(/at explain \(src\/cli\/run\.ts:\d+:\d+\)/),
          program: expect.stringMatching(/^ai-code-assistant \d+\.\d+\.\d+, \/.*\/dist\/main\.cjs$/),
        },
      });
  });

  /** Where a text stands in the built program. */
  async function placeOf(text: string): Promise<string> {
    const chunks = path.resolve('dist/chunks');
    for (const name of await readdir(chunks)) {
      const file = path.join(chunks, name);
      const lines = name.endsWith('.cjs') ? (await readFile(file, 'utf8')).split('\n') : [];
      const line = lines.findIndex((one) => one.includes(text));
      if (line >= 0) return `${file}:${line + 1}:${(lines[line]?.indexOf(text) ?? 0) + 1}`;
    }
    throw new Error(`${text} is in no chunk.`);
  }

  test('[O07] verbose: the steps on standard error, in colour on a terminal alone', async () => {
    const space = await workspace();
    const { run } = await start(space, [says('hey')]);
    const { stdout, stderr } = await run(['-p', 'go', '--verbose', '--debug']);
    expect(stdout).toBe('hey\n');
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}run started provider=anthropic /m);
    expect(stderr).toMatch(/ debug turn started turn=1\n/);
    expect(stderr).not.toContain('\x1b');
  });
});

describe('/diag, /doctor and /stats', () => {
  test('show warnings and where the log is, and draw the numbers', soak, async () => {
    await withinOneDay(async () => {
      const space = await workspace({ 'a.txt': 'alpha' });
      const { terminal } = await start(space, [
        fails(400, { message: 'no such thing' }),
        calls(['Read', { file_path: 'a.txt' }]),
        says('all read'),
      ]);
      const screen = terminal(['--plain']);
      await screen.waitFor('> ');
      screen.type('/stats\r');
      await screen.waitFor('No prompts yet.');
      screen.type('/diag\r');
      await screen.waitFor('No warnings.');
      screen.type('first\r');
      await screen.waitFor('no such thing');
      screen.type('/diag\r');
      await screen.waitFor('warn  model failed');
      await screen.waitFor('The log is ', 2);
      screen.type('/doctor\r');
      await screen.waitFor('2 warnings today');
      screen.type('second\r');
      await screen.waitFor('all read');
      screen.type('/stats\r');
      await screen.waitFor('Session 2 runs, 3 turns');
      await screen.waitFor('Models  3 requests, 1 failed');
      await screen.waitFor('Read       ██████     1      0');
      screen.type('/quit\r');
      expect(await screen.exitCode).toBe(0);
    });
  });
});

describe('aca stats', () => {
  test('sums all sessions, by day, model, tool and session', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const empty = await aca(space, ['stats']);
    expect(empty).toEqual({ code: 0, stdout: 'No usage in this period.\n', stderr: '' });
    const used = { usage: { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 3000 } };
    const { run } = await start(space, [
      calls(['Read', { file_path: 'a.txt' }], ['Read', { file_path: 'gone.txt' }]),
      says('one', used),
      says('two', used),
    ]);
    await run(['-p', 'first task']);
    await run(['-p', 'second task']);

    const all = (await aca(space, ['stats'])).stdout;
    expect(all).toContain('sessions      2; 2 runs, 3 turns\n');
    expect(all).toMatch(/By day\n\d{4}-\d\d-\d\d {2}█+/);
    expect(all).toMatch(/By model\nanthropic\/claude-sonnet-4-20250514 {2}█+/);
    expect(all).toMatch(/Tools\nRead {2}█+ {2}2 calls {2}1 failed/);
    expect((await aca(space, ['stats', '--by', 'session'])).stdout).toMatch(
      / first task .*\n.* second task /s,
    );
    const json = JSON.parse((await aca(space, ['stats', '--json', '--since', '2d'])).stdout);
    expect(json).toMatchObject({
      total: { calls: 3, sessions: 2, runs: 2, turns: 3, unpriced: 0 },
      tools: [{ name: 'Read', calls: 2, failed: 1 }],
      requests: { calls: 3, failed: 0 },
    });
    const wrong = await aca(space, ['stats', '--since', 'yesterday']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Use a date such as 2026-01-31, or a number of days such as 7d.');
  });
});

describe('[U14] quotas', () => {
  test(
    'hold for all processes of a user: the call waits, says so, and Ctrl-C ends the wait',
    soak,
    async () => {
      const space = await workspace();
      await configure(space, { quotas: { 'anthropic/*': { requestsPerMinute: 1 } } });
      const { run, server, terminal } = await start(space, [says('one'), says('never')]);
      expect(await run(['-p', 'go'])).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
      const screen = terminal(['--plain']);
      await screen.waitFor('> ');
      screen.type('again\r');
      await screen.waitFor('s: the quota of 1 request per minute for anthropic/* is used up.');
      screen.type('\x03');
      await screen.waitFor('Interrupted');
      screen.type('/quit\r');
      expect(await screen.exitCode).toBe(0);
      expect(server.requests).toHaveLength(1);
    },
  );

  test(
    'on the screen, forty columns wide: Esc ends the wait, /stats fits, and the log stays in its file',
    soak,
    async () => {
      const space = await workspace();
      await configure(space, { quotas: { '*': { requestsPerMinute: 1 } } });
      const { lab, server } = await openScreen(space, [says('one')], {
        columns: 40,
        args: ['--debug', '--verbose'],
      });
      const all = () => lab.all().join('\n');
      lab.type('go\r');
      await lab.waitFor('one');
      lab.type('again\r');
      await lab.waitFor(() => /the quota of 1\s+request/.test(all()));
      lab.type('\x1b');
      await lab.waitFor('Interrupted.');
      lab.type('/stats\r');
      await lab.waitFor('Session 2 runs, 2 turns');
      expect(all()).not.toContain('turn started');
      expect((await entriesOf(logOf(space))).map(brief)).toContain('debug turn started');
      expect(server.requests).toHaveLength(1);
    },
  );

  test('a model that no quota is for is asked at once, and nothing is kept', soak, async () => {
    const space = await workspace();
    await configure(space, { quotas: { 'openai/*': { requestsPerMinute: 1 } } });
    const { run } = await start(space, [says('one'), says('two')]);
    expect(await run(['-p', 'go'])).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    expect(await run(['-p', 'go'])).toEqual({ code: 0, stdout: 'two\n', stderr: '' });
    expect(existsSync(path.join(rootOf(space), 'quota'))).toBe(false);
  });
});
