import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import { aca, doors, parseStream } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { both, calls, hangs, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { withinOneDay } from '../support/within-one-day.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const EXIT_LIMIT = 4;

async function configure(space: Workspace, config: ConfigInput): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
}

async function start(space: Workspace, script: Step[]) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const run = (args: string[], onSpawn?: Parameters<typeof aca>[2]) =>
    aca(space, [...args, '--model', model], { env, ...onSpawn });
  const terminal = (args: string[] = []) => openTerminal(space, ['--plain', '--model', model, ...args], env);
  return { server, run, terminal };
}

const used = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });
const maxTokensOf = ({ body }: SeenRequest) => Number(body.max_tokens);

async function ledgerOf(space: Workspace): Promise<{ type: string; usage?: Record<string, number> }[]> {
  const folder = path.join(space.home, '.ai-assistant', 'ledger');
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8')),
  );
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

describe('[U14] limits', () => {
  test('a run ends before its limit is exceeded: what was done, what is left, exit code 4', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { server, run } = await start(space, [
      {
        ...both(
          'First this.',
          ['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }],
          [
            'Todo',
            {
              items: [
                { text: 'change a.txt', status: 'done' },
                { text: 'change b.txt', status: 'pending' },
              ],
            },
          ],
        ),
        ...used(10_000, 4000),
      },
      says('never asked for'),
    ]);
    const args = [
      '-p',
      'go',
      '--mode',
      'accept-edits',
      '--budget',
      '$0.10',
      '--output-format',
      'stream-json',
    ];

    const { code, stdout, stderr } = await run(args);

    const { report } = parseStream(stdout);
    expect(code).toBe(EXIT_LIMIT);
    expect(server.requests).toHaveLength(1);
    expect(report).toMatchObject({
      stopReason: 'budget',
      filesChanged: ['a.txt'],
      error: {
        message: expect.stringMatching(/^Limit reached: \$0\.09 of \$0\.10 this run, and the next call/),
        hint: expect.stringContaining('Changed in this run: a.txt.\nRemaining: change b.txt.\n'),
      },
    });
    expect(report.costUsd).toBeCloseTo(0.09);
    expect(stderr).toContain('Limit reached');
    // What was asked for at most fits, too: the prompt at its dearest, and the answer.
    expect(maxTokensOf(server.requests[0] as SeenRequest) * 15e-6).toBeLessThan(0.1);
  });

  test.each([
    ['$0.25', (tokens: number) => tokens * 2e-6],
    ['100k tokens', (tokens: number) => tokens],
  ])('dense text does not exceed a limit of %s, and uses most of it', async (limit, spentOn) => {
    const rows = Array.from({ length: 600 }, () => randomBytes(75).toString('base64'));
    const space = await workspace({ 'data.b64': rows.join('\n') });
    let spent = 0;
    // As dense as the texts that tokenizers were measured to split most, by a vendor that offers no count.
    const step: Step = (request) => {
      const inputTokens = Math.ceil(JSON.stringify(request.body).length * 0.65);
      spent += spentOn(inputTokens + (limit.startsWith('$') ? 4 : 1) * 50);
      const next = calls([
        'Read',
        { file_path: 'data.b64', offset: 1 + 40 * (request.messages.length % 14), limit: 40 },
      ]);
      return { ...next, ...used(inputTokens, 50) };
    };
    const server = await serve(Array(40).fill(step));
    const { env } = doors['openai-chat'](server.url);
    const args = ['-p', 'read it all', '--model', 'openai-chat/gpt-4.1', '--budget', limit];

    const { code, stderr } = await aca(space, args, { env });

    const most = limit.startsWith('$') ? 0.25 : 100_000;
    expect({ code, stderr }).toMatchObject({
      code: EXIT_LIMIT,
      stderr: expect.stringContaining('Limit reached'),
    });
    expect(spent).toBeLessThanOrEqual(most);
    expect(spent).toBeGreaterThan(most * 0.6);
  });

  test('the limits a flag can hold are checked before anything happens', async () => {
    const space = await workspace();
    const { run, server } = await start(space, []);
    const { code, stderr } = await run(['-p', 'go', '--budget', 'a lot']);
    expect({ code, asked: server.requests.length }).toEqual({ code: 2, asked: 0 });
    expect(stderr).toContain("Use a limit such as '$5', '500k tokens' or '40 turns'.");
  });

  test('turns are a limit, too, and several hold at once', async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const again = calls(['Read', { file_path: 'a.txt' }]);
    const { run, server } = await start(space, [again, again, says('never')]);
    const { code, stderr } = await run(['-p', 'go', '--budget', '2 turns', '--budget', '$5']);
    expect({ code, asked: server.requests.length }).toEqual({ code: EXIT_LIMIT, asked: 2 });
    expect(stderr).toContain('Limit reached: 2 of 2 turns this run.');
  });

  test('[Z14] in words at the end of the prompt: told, and held', async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const { server, terminal } = await start(space, [
      { ...calls(['Read', { file_path: 'a.txt' }]), ...used(19_000, 500) },
    ]);
    const screen = terminal();
    await screen.waitFor('> ');
    screen.type('read a.txt +20k\r');
    await screen.waitFor('Limit for this run: 20,000 tokens.');
    await screen.waitFor('Limit reached: 19,500 of 20,000 tokens this run');
    await screen.waitFor('No changes in this run.');
    expect(server.requests[0]?.messages.at(-1)?.text).toBe('read a.txt +20k');
    screen.type('/quit\r');
    expect(await screen.exitCode).toBe(0);
  });

  test('a session has its limit over several processes', soak, async () => {
    const space = await workspace();
    await configure(space, { limits: { session: '32k tokens' } });
    const { run } = await start(space, [says('one', used(15_000, 10)), says('two', used(15_000, 10))]);
    expect((await run(['-p', 'go'])).code).toBe(0);
    expect((await run(['-p', 'go', '--continue'])).code).toBe(0);
    const { code, stderr } = await run(['-p', 'go', '--continue']);
    expect(code).toBe(EXIT_LIMIT);
    expect(stderr).toContain('30,020 of 32,000 tokens this session');
  });

  test('a model without a price and a limit in dollars: nothing is sent', async () => {
    const space = await workspace();
    const server = await serve([]);
    const env = { OPENROUTER_API_KEY: 'k' };
    await configure(space, { providers: { openrouter: { baseUrl: `${server.url}/v1` } } });
    const args = ['-p', 'go', '--model', 'openrouter/x/y', '--budget', '$5'];
    const { code, stderr } = await aca(space, args, { env });
    expect({ code, asked: server.requests.length }).toEqual({ code: EXIT_LIMIT, asked: 0 });
    expect(stderr).toContain('The price of openrouter/x/y is unknown');
  });

  test('ten processes share a day and never exceed it', soak, async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const limit = 200_000;
    await configure(space, { limits: { day: `${limit} tokens` } });
    let spent = 0;
    const turns = new Map<string, number>();
    // As vendors do: what was sent is counted, and the answer is as long as it may be, up to a point.
    const reply: Step = (request) => {
      const task = request.messages[0]?.text ?? '';
      const turn = (turns.get(task) ?? 0) + 1;
      turns.set(task, turn);
      const inputTokens = Math.ceil(JSON.stringify(request.body).length / 3.6);
      const outputTokens = Math.min(maxTokensOf(request), 1500);
      spent += inputTokens + outputTokens;
      const answer = turn < 5 ? calls(['Read', { file_path: 'a.txt', offset: 0 }]) : says('done');
      return { ...answer, ...used(inputTokens, outputTokens) };
    };
    const { run, server } = await start(space, Array(60).fill(reply));

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) => run(['-p', `task ${i}`, '--output-format', 'stream-json'])),
    );

    const codes = outcomes.map(({ code }) => code);
    expect(spent).toBeLessThanOrEqual(limit);
    // Much of it was used all the same: holding too much would be as bad.
    expect(spent).toBeGreaterThan(limit * 0.8);
    expect(codes.every((code) => code === 0 || code === EXIT_LIMIT)).toBe(true);
    expect(codes).toContain(EXIT_LIMIT);
    expect(server.refusals).toEqual([]);
    const rows = await ledgerOf(space);
    const total = rows.flatMap(({ usage }) => Object.values(usage ?? {})).reduce((sum, n) => sum + n, 0);
    expect(total).toBe(spent);
  });

  test('a process that was killed in the middle of a call blocks nobody', soak, async () => {
    const space = await workspace();
    await configure(space, { limits: { day: '100k tokens' } });
    const { run, server } = await start(space, [hangs(), says('fine')]);
    const killed = run(['-p', 'go'], {
      onSpawn: (child) => {
        const watch = setInterval(() => {
          if (server.requests.length > 0) child.kill('SIGKILL');
        }, 20);
        child.on('close', () => clearInterval(watch));
      },
    });
    expect((await killed).code).toBe(null);
    const began = performance.now();
    expect(await run(['-p', 'go'])).toEqual({ code: 0, stdout: 'fine\n', stderr: '' });
    expect(performance.now() - began).toBeLessThan(25_000);
  });
});

describe('what calls cost', () => {
  test(
    '/cost tells it by model, for this run, this session and today; /budget shows and sets limits',
    soak,
    async () => {
      await withinOneDay(async () => {
        const space = await workspace();
        const { run, terminal } = await start(space, [
          says('one', used(1_000_000, 0)),
          says('Second answer.', {
            usage: { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 10_000 },
          }),
        ]);
        await run(['-p', 'another session']);
        const screen = terminal();
        await screen.waitFor('> ');
        screen.type('/cost\r');
        await screen.waitFor('This session: nothing yet');
        await screen.waitFor('Today, all sessions: $3.00');
        screen.type('go\r');
        await screen.waitFor('Second answer.');
        screen.type('/cost\r');
        const line =
          'anthropic/claude-sonnet-4-20250514: 1 call, 11,000 tokens in (10,000 cached), 100 out, $0.0075';
        await screen.waitFor(line.slice(0, 99), 2);
        await screen.waitFor('Today, all sessions: $3.01');
        screen.type('/budget\r');
        await screen.waitFor('No limits set. Set one with /budget $5 or /budget run 500k.');
        screen.type('/budget day $3.01\r');
        await screen.waitFor('Limit for today: $3.01.');
        screen.type('go on\r');
        await screen.waitFor('Limit reached: $3.01 of $3.01 today');
        screen.type('/budget off\r');
        await screen.waitFor('Removed the limit for this session.');
        screen.type('/quit\r');
        expect(await screen.exitCode).toBe(0);
      });
    },
  );

  test('a price that is not known is said to be unknown', async () => {
    const space = await workspace();
    const server = await serve([says('hey')]);
    const { env } = doors['openai-chat'](server.url);
    const screen = openTerminal(space, ['--plain', '--model', 'openai-chat/unheard-of'], env);
    await screen.waitFor('> ');
    screen.type('go\r');
    await screen.waitFor('hey');
    screen.type('/cost\r');
    await screen.waitFor('This session: price unknown');
    expect(screen.screen()).not.toContain('$0.00');
    screen.type('/quit\r');
    expect(await screen.exitCode).toBe(0);
  });

  test('a model on this machine costs nothing', async () => {
    const space = await workspace();
    const server = await serve([says('hey')]);
    const { model, env } = doors.ollama(server.url);
    const outcome = await aca(space, ['-p', 'go', '--model', model, '--output-format', 'json'], { env });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ costUsd: 0 });
  });
});
