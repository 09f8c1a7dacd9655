import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import { aca, doors, parseStream } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { both, calls, fails, hangs, type Step, says } from '../support/model-server/script.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const MODEL = 'anthropic/claude-sonnet-4-20250514';
const RULES = '# Rules\n\n- Tabs, never spaces — naïve ≠ café.\n- `npm test` before you are done.\n';
const PIN = 'the API is v2 only; never call /v1 — 😀 "quoted"';
/** In every summary request, and nowhere else. */
const SUMMARY_ASKED = 'Below is the older part of a conversation';
const CONDENSING = 'Below are summaries of one conversation';

/** Small enough to fill within a few answers. */
const small: ConfigInput = {
  models: { [MODEL]: { contextWindow: 24_000, maxOutputTokens: 1000 } },
  summarizationThreshold: 0.5,
};

async function configure(space: Workspace, config: ConfigInput): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
}

const isAside = ({ messages }: SeenRequest) => {
  const text = messages.at(-1)?.text ?? '';
  return text.startsWith(SUMMARY_ASKED) || text.startsWith(CONDENSING);
};

const asked = (server: ModelServer) => server.requests.filter((request) => !isAside(request));

/** Long answers to prompts, short ones to requests for a summary. */
function talkative(
  summary: (request: SeenRequest) => ReturnType<Extract<Step, (...args: never[]) => unknown>>,
): Step {
  let said = 0;
  return (request) => {
    if (isAside(request)) return summary(request);
    said += 1;
    return says(`Answer ${said}. ${'It goes on and on. '.repeat(210)}`);
  };
}

const lines = (...prompts: string[]) =>
  prompts.map((text) => `${JSON.stringify({ type: 'user', text })}\n`).join('');

const conversation = [
  '-p',
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--model',
  MODEL,
];

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `question ${from + i}`);

describe('[Z03] [K02] a conversation longer than the window', () => {
  test(
    '[K04] [K05] [K07] fifty rounds: pins and instructions are in every request, byte for byte, and none is too long',
    soak,
    async () => {
      const space = await workspace({ 'AGENTS.md': RULES });
      await configure(space, small);
      let rounds = 0;
      const server = await serve(
        [talkative(() => says(`[Completed: round ${++rounds}]\n[Decided: use v2]`))],
        {
          loop: true,
        },
      );
      const { env } = doors.anthropic(server.url);

      const terminal = openTerminal(space, ['--plain', '--model', MODEL], env);
      await terminal.waitFor('> ');
      terminal.type(`/pin ${PIN}\r`);
      await terminal.waitFor('Pinned: ');
      terminal.type('hello\r');
      await terminal.waitFor('Answer 1.');
      terminal.type('/quit\r');
      expect(await terminal.exitCode).toBe(0);

      const outcome = await aca(space, [...conversation, '--continue'], {
        env,
        stdin: lines(...numbered(1, 200)),
      });
      expect(outcome.code).toBe(0);
      const compacted = outcome.stdout.split('\n').filter((line) => line.startsWith('{"type":"compacted"'));
      expect(compacted.length).toBeGreaterThanOrEqual(50);
      const requests = asked(server);
      expect(requests.length).toBe(201);
      for (const [i, request] of requests.entries()) {
        expect(request.system).toContain(RULES.trim());
        expect(`${request.system}${request.messages.map(({ text }) => text).join('')}`).toContain(PIN);
        expect(JSON.stringify(request.body).length / 3.5).toBeLessThan(24_000);
        expect(request.messages.at(-1)?.text).toEqual(
          // The pin came with the first prompt; from the second on, no user watches.
          i === 0
            ? expect.stringContaining('hello')
            : i === 1
              ? expect.stringMatching(/question 1$/)
              : `question ${i}`,
        );
      }
      const last = requests.at(-1);
      expect(last?.system).toContain('Previous context summary:');
      expect(last?.system).toContain('## Earlier conversation summary (compressed)');
      expect(last?.system).toContain('\n---\n');
      expect(server.refusals).toEqual([]);

      const [session] = (await readdir(path.join(space.home, '.ai-assistant/sessions'))).filter((name) =>
        name.endsWith('.jsonl'),
      );
      const journal = await readFile(path.join(space.home, '.ai-assistant/sessions', session ?? ''), 'utf8');
      for (const question of numbered(1, 200)) expect(journal).toContain(`"${question}"`);
    },
  );

  test(
    '[Y05] between compactions each request is the one before and more; going on later sends the same view',
    soak,
    async () => {
      const space = await workspace({ 'AGENTS.md': RULES });
      await configure(space, small);
      const server = await serve([talkative(() => says('[Completed: the old part]'))], { loop: true });
      const { env } = doors.anthropic(server.url);
      await aca(space, conversation, { env, stdin: lines(...numbered(1, 10)) });
      const before = asked(server).at(-1);
      expect(before?.system).toContain('[Completed: the old part]');
      await aca(space, ['-p', 'go on', '--continue', '--model', MODEL], { env });
      const after = asked(server).at(-1);
      const said = (request: SeenRequest | undefined) =>
        request?.messages.map(({ role, text }) => `${role}: ${text}`);
      expect(after?.system).toBe(before?.system);
      expect(said(after)?.slice(0, said(before)?.length)).toEqual(said(before));
      expect(after?.messages.length).toBe((before?.messages.length ?? 0) + 2);
    },
  );

  test('[E04] [K08] [Y24] overflow in the middle of a tool turn: compacted and asked again in place, ids kept, nothing said twice', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    await configure(space, { models: small.models ?? {} });
    let refused = 0;
    const server = await serve(
      [
        (request) => {
          if (isAside(request)) return says('[Completed: talked]\n[Open: read a.txt]');
          const results = request.messages.at(-1)?.results ?? [];
          if (results.length > 0 && refused++ < 2)
            return fails(400, { message: 'prompt is too long: 214802 tokens > 200000 maximum' });
          if (results.length > 0) return says('It says alpha.');
          if (request.messages.at(-1)?.text === 'read it')
            return both('Looking.', ['Read', { file_path: 'a.txt' }, { id: 'toolu_kept' }]);
          return says('word '.repeat(300));
        },
      ],
      { loop: true },
    );
    const { env } = doors.anthropic(server.url);
    const outcome = await aca(space, conversation, {
      env,
      stdin: lines(...numbered(1, 9), 'read it'),
    });
    expect(outcome.code).toBe(0);
    const { report } = parseStream(outcome.stdout);
    expect(report).toMatchObject({ stopReason: 'done', result: 'It says alpha.' });
    const last = asked(server).at(-1);
    expect(last?.messages.filter(({ text }) => text === 'read it').length).toBe(1);
    expect(last?.messages.at(-1)?.results).toEqual([
      expect.objectContaining({ callId: 'toolu_kept', text: '1\talpha' }),
    ]);
    expect(last?.system).toContain('[Open: read a.txt]');
    expect(server.refusals).toEqual([]);
  });

  test(
    '[K07] the helper model writes summaries; when it is down the main one does; when that fails, too, none is needed',
    soak,
    async () => {
      const space = await workspace();
      const prompts = lines(...numbered(1, 16));
      const run = async (config: ConfigInput, step: Step, more: Record<string, string> = {}) => {
        await configure(space, { ...small, ...config });
        const server = await serve([step], { loop: true });
        const outcome = await aca(space, conversation, {
          env: { ...doors.anthropic(server.url).env, ...more },
          stdin: prompts,
        });
        expect(outcome.code).toBe(0);
        const line = outcome.stdout.split('\n').find((text) => text.startsWith('{"type":"compacted"'));
        return { by: (JSON.parse(line ?? '{}') as { by?: string }).by, server };
      };
      const helped = await serve([says('[Completed: by the helper]')], { loop: true });
      const helper = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${helped.url}/v1` };
      const first = await run(
        { helperModel: 'openai-chat/gpt-4.1-nano' },
        talkative(() => says('by the main one')),
        helper,
      );
      expect(first.by).toBe('openai-chat/gpt-4.1-nano');
      expect(asked(first.server).at(-1)?.system).toContain('[Completed: by the helper]');
      expect(helped.requests[0]?.messages[0]?.text).toContain('USER: question 1');

      const gone = { ...helper, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
      const second = await run(
        { helperModel: 'openai-chat/gpt-4.1-nano' },
        talkative(() => says('[Completed: by the main one]')),
        gone,
      );
      expect(second.by).toBe(MODEL);
      expect(asked(second.server).at(-1)?.system).toContain('[Completed: by the main one]');

      const third = await run(
        {},
        talkative(() => fails(400, { message: 'no summaries here' })),
      );
      expect(third.by).toBe('extract');
      expect(asked(third.server).at(-1)?.system).toContain('[Asked: question 1; question 2;');
    },
  );
});

describe('by hand, in a terminal', () => {
  test('[K03] /compact tells what it gained and keeps the focus in mind, /context shows the window, /uncompact takes it back', async () => {
    const space = await workspace({ 'AGENTS.md': RULES });
    const server = await serve([talkative(() => says('[Completed: small talk]'))], { loop: true });
    const { env } = doors.anthropic(server.url);
    await aca(space, conversation, { env, stdin: lines(...numbered(1, 9)) });
    const whole = asked(server).at(-1);

    const terminal = openTerminal(space, ['--plain', '--model', MODEL, '--continue'], env);
    await terminal.waitFor('> ');
    terminal.type('/compact the API\r');
    await terminal.waitFor('Undo it with /uncompact.');
    expect(terminal.screen().replaceAll('\n', '')).toMatch(
      /Compacted from [\d,]+ to [\d,]+ tokens: older messages summarized by anthropic\/claude-sonnet-4-20250514\./,
    );
    expect(server.requests.at(-1)?.messages[0]?.text).toContain('Above all, keep what concerns: the API');
    terminal.type('/context\r');
    await terminal.waitFor('Auto-compacts at');
    for (const words of ['instructions', 'summary', 'tool', 'free', 'Biggest:', '[#'])
      await terminal.waitFor(words);
    terminal.type('what now?\r');
    await terminal.waitFor('Answer 10.');
    expect(asked(server).at(-1)?.messages.length).toBe(11);
    expect(asked(server).at(-1)?.system).toContain('[Completed: small talk]');

    terminal.type('/uncompact\r');
    await terminal.waitFor('Compaction undone');
    terminal.type('and now?\r');
    await terminal.waitFor('Answer 11.');
    const back = asked(server).at(-1);
    expect(back?.system).not.toContain('Nobody watches this run');
    expect(whole?.system.startsWith(back?.system ?? 'nothing')).toBe(true);
    expect(back?.messages.slice(0, whole?.messages.length)).toEqual(whole?.messages);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  sweep(
    [
      ['Ctrl-C', '\u0003'],
      ['Esc', '\u001b'],
    ],
    0,
  )('%s calls /compact off: nothing is compacted, and the conversation goes on', async (_name, key) => {
    const space = await workspace();
    const server = await serve([talkative(() => hangs())], { loop: true });
    const { env } = doors.anthropic(server.url);
    await aca(space, conversation, { env, stdin: lines(...numbered(1, 9)) });
    const terminal = openTerminal(space, ['--plain', '--model', MODEL, '--continue'], env);
    await terminal.waitFor('> ');
    terminal.type('/compact\r');
    await expect.poll(() => server.requests.filter(isAside).length, { timeout: 30_000 }).toBe(1);
    terminal.type(key);
    await terminal.waitFor('Interrupted. Nothing was compacted.');
    terminal.type('go on\r');
    await terminal.waitFor('Answer 10.');
    expect(asked(server).at(-1)?.messages.length).toBe(19);
    terminal.type('/quit\r');
    expect(await terminal.exitCode).toBe(0);
  });

  test('a pin is told with the next prompt, survives a compaction, and can be let go', soak, async () => {
    const space = await workspace();
    const server = await serve([talkative(() => says('[Completed: small talk]'))], { loop: true });
    const { env } = doors.anthropic(server.url);
    await aca(space, conversation, { env, stdin: lines(...numbered(1, 9)) });
    const terminal = openTerminal(space, ['--plain', '--model', MODEL, '--continue'], env);
    await terminal.waitFor('> ');
    terminal.type(`/pin ${PIN}\r`);
    await terminal.waitFor('Pinned: ');
    terminal.type('/compact\r');
    await terminal.waitFor('Undo it with /uncompact.');
    terminal.type('go on\r');
    await terminal.waitFor('Answer 10.');
    expect(asked(server).at(-1)?.system).toContain(`Facts pinned by the user:\n- ${PIN}`);
    terminal.type('/pin\r');
    await terminal.waitFor('1  the API is v2 only');
    terminal.type('/unpin 1\r');
    await terminal.waitFor('No longer pinned');
    terminal.type('more\r');
    await terminal.waitFor('Answer 11.');
    expect(asked(server).at(-1)?.messages.at(-1)?.text).toContain(`[No longer pinned: ${PIN}]`);
  });
});

describe('[K05] instructions', () => {
  test('an import that makes them too long is cut with a notice, and the run goes on', soak, async () => {
    const space = await workspace({ 'AGENTS.md': 'Root rule.\n@big.md\n', 'big.md': 'long '.repeat(8000) });
    const server = await serve([says('done')]);
    const { env } = doors.anthropic(server.url);
    const outcome = await aca(space, ['-p', 'go', '--model', MODEL], { env });
    expect(outcome).toEqual({
      code: 0,
      stdout: 'done\n',
      stderr: `${path.join(space.root, 'AGENTS.md')}: only the first 32 KB are used; the limits are 32 KB per file and 64 KB in total.\n`,
    });
    const system = server.requests[0]?.system ?? '';
    expect(system).toContain('Root rule.\nlong long ');
    expect(system.split('long ').length).toBeLessThan((32 * 1024) / 5 + 2);
  });

  test('nearest last, imports in place, and a folder speaks once, when it is first entered', async () => {
    const space = await workspace({
      '.git/HEAD': 'ref: refs/heads/main\n',
      'AGENTS.md': 'Root rule.\n',
      'pkg/AGENTS.md': 'Package rule, see @notes.md and `@code.md`.\n',
      'pkg/CLAUDE.md': 'Package rule, see @notes.md and `@code.md`.\n',
      'pkg/notes.md': 'Imported note.\n',
      'pkg/code.md': 'never imported',
      'pkg/deep/AGENTS.md': 'Deep rule.\n',
      'pkg/deep/a.txt': 'alpha\n',
      'pkg/deep/b.txt': 'beta\n',
      'pkg/node_modules/evil/AGENTS.md': 'Evil rule.\n',
      'pkg/node_modules/evil/index.js': 'x\n',
    });
    await configure(space, {});
    await writeFile(path.join(space.home, '.ai-assistant/AGENTS.md'), 'My own rule.\n');
    const server = await serve([
      calls(['Read', { file_path: 'deep/a.txt' }], ['Read', { file_path: 'node_modules/evil/index.js' }]),
      calls(['Read', { file_path: 'deep/b.txt' }]),
      says('done'),
    ]);
    const { env } = doors.anthropic(server.url);
    const outcome = await aca(space, ['-p', 'go', '--model', MODEL], {
      env,
      cwd: path.join(space.root, 'pkg'),
    });
    expect(outcome).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
    const [first, second, third] = server.requests;
    const system = first?.system ?? '';
    const places = ['My own rule.', 'Root rule.', 'Package rule, see Imported note. and `@code.md`.'].map(
      (words) => system.indexOf(words),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(system.split('Package rule').length).toBe(2);
    expect(system).not.toContain('Deep rule');
    expect(second?.messages.at(-1)?.results.map(({ text }) => text)).toEqual([
      '1\talpha\n\n[Instructions for work in deep, from deep/AGENTS.md]\nDeep rule.',
      '1\tx',
    ]);
    expect(third?.messages.at(-1)?.results.map(({ text }) => text)).toEqual(['1\tbeta']);
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('Evil rule');
  });
});
