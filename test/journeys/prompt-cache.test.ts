import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import type { Preset } from '../../src/providers/presets.ts';
import { encodePng } from '../../src/tools/reading/png.ts';
import { aca, doors } from '../support/aca.ts';
import { type Json, records } from '../support/model-server/protocol.ts';
import { but, calls, says, thinks } from '../support/model-server/script.ts';
import { firstDifference, promptBlocks } from '../support/prompt-blocks.ts';
import { serve } from '../support/serve.ts';
import { sampled, soak, sweep, sweepGroups } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { setUpVendor, vendors } from '../support/vendors.ts';
import { workspace } from '../support/workspace.ts';

const FIRST = { inputTokens: 900, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
const LATER = { inputTokens: 100, outputTokens: 9, cacheReadTokens: 800, cacheWriteTokens: 0 };

/** Ollama reports nothing about its cache, and Mistral's preset does not ask for usage. */
const REPORTS_NO_CACHE = ['ollama', 'mistral'];
/** The key sends a session to the server that has its prompt. */
const TAKES_CACHE_KEY = ['xai', 'openai', 'openai-chat', 'moonshot', 'mistral', 'fireworks'];

sweepGroups(sampled(vendors, 6).map((preset) => [preset.label, preset] as const))(
  'with %s',
  (_label, preset) => {
    test('[K06] each request begins with all of the one before, also when a new process resumes the session', async () => {
      const space = await workspace({
        'a.txt': 'alpha\n',
        'AGENTS.md': 'Be kind.',
        '.env': 'PASSWORD=tr0ub4dor-Zq81\n',
      });
      const png = await encodePng({ width: 3, height: 2, rgba: new Uint8Array(24) });
      await writeFile(path.join(space.root, 'shot.png'), png);
      const look = calls(
        ['Read', { file_path: 'a.txt' }],
        ['Read', { file_path: 'shot.png' }],
        ['Grep', { pattern: 'a' }],
      );
      const server = await serve([
        but(thinks('hm', look), { usage: FIRST }),
        says('It says alpha.', { usage: LATER }),
        but(calls(['Read', { file_path: 'missing' }]), { usage: LATER }),
        says('Gone.', { usage: LATER }),
      ]);
      const { model, env } = await setUpVendor(space, preset, server.url);
      const run = async (...args: string[]) => {
        const { stdout, code } = await aca(space, [...args, '--model', model, '--output-format', 'json'], {
          env,
        });
        expect(code).toBe(0);
        return JSON.parse(stdout) as Report;
      };

      const first = await run('-p', 'look, the password is tr0ub4dor-Zq81');
      const second = await run('-p', 'and now?', '--continue');

      const bodies = server.requests.map(promptBlocks);
      expect(bodies).toHaveLength(4);
      for (const [i, body] of bodies.slice(1).entries())
        expect(firstDifference(bodies[i] ?? [], body)).toBeNull();
      const keys = new Set(server.requests.map(({ body }) => body.prompt_cache_key));
      expect([...keys]).toEqual([TAKES_CACHE_KEY.includes(preset.name) ? expect.any(String) : undefined]);
      expect(server.requests.flatMap(({ refused = [] }) => refused)).toEqual([]);
      const read = REPORTS_NO_CACHE.includes(preset.name) ? 0 : 800;
      expect([first, second].map(({ usage }) => usage.cacheReadTokens)).toEqual([read, 2 * read]);
    });
  },
);

describe('[K06] a long run over OpenRouter', () => {
  const openrouter = vendors.find(({ name }) => name === 'openrouter') as Preset;
  const read = (file: string) => calls(['Read', { file_path: file }], ['Grep', { pattern: file }]);
  const play = async (model: string) => {
    const space = await workspace({ 'a.txt': 'alpha\n', 'b.txt': 'beta\n' });
    const server = await serve([read('a.txt'), read('b.txt'), read('a.txt'), says('Done.')]);
    const { env } = await setUpVendor(space, openrouter, server.url);
    const { code } = await aca(space, ['-p', 'go', '--model', `openrouter/${model}`], { env });
    expect({ code, refusals: server.refusals }).toEqual({ code: 0, refusals: [] });
    return server.requests.map(({ body }) => marksOf(body));
  };

  sweep(['anthropic/claude-sonnet-4.6', 'google/gemini-3.1-pro-preview', 'qwen/qwen3-coder'])(
    'marks the system prompt and the end of the last two turns for %s',
    async (model) => {
      expect(await play(model)).toEqual([
        ['0 system', '1 user'],
        ['0 system', '1 user', '4 tool'],
        ['0 system', '4 tool', '7 tool'],
        ['0 system', '7 tool', '10 tool'],
      ]);
    },
  );

  test('marks nothing for a model that caches by itself', soak, async () => {
    expect(await play('openai/gpt-5')).toEqual([[], [], [], []]);
  });
});

/** Which messages have a mark on a part of their content. Anywhere else a mark is a mistake. */
function marksOf(body: Json): string[] {
  const messages = records(body.messages);
  const marked = messages.map(({ content }) => records(content).filter((part) => part.cache_control));
  const all = JSON.stringify(body).split('"cache_control":{"type":"ephemeral"}').length - 1;
  expect(marked.flat()).toHaveLength(all);
  return messages.flatMap(({ role }, i) => (marked[i]?.length ? [`${i} ${role}`] : []));
}

const LARGE_FIRST = { inputTokens: 0, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 9000 };
const LARGE_LATER = { inputTokens: 1000, outputTokens: 9, cacheReadTokens: 8000, cacheWriteTokens: 0 };

test('[K06] /cache tells what came from the cache, and which block broke it', async () => {
  const space = await workspace();
  const answers = [
    says('First answer.', { usage: LARGE_FIRST }),
    says('Second answer.', { usage: LARGE_LATER }),
    says('Third answer.', { usage: LARGE_FIRST }),
  ];
  const server = await serve(answers);
  const { model, env } = doors.anthropic(server.url);
  const terminal = openTerminal(space, ['--plain', '--model', model], env);
  await terminal.waitFor('> ');
  terminal.type('the word is tr0ub4dor-Zq81\r');
  await terminal.waitFor('First answer.');
  terminal.type('again\r');
  await terminal.waitFor('Second answer.');
  terminal.type('/cache\r');
  await terminal.waitFor('It starts with the whole previous request, unchanged.');
  await terminal.waitFor('This session: 44% from the cache (8,000 of 18,000 tokens)');
  await terminal.waitFor('Last request: 88% from the cache (8,000 of 9,000 tokens)');

  await writeFile(path.join(space.root, 'AGENTS.md'), '# Rules\n\n- Tabs.\n');
  terminal.type('/refresh\r');
  await terminal.waitFor('reloaded');
  terminal.type('and again\r');
  await terminal.waitFor('Third answer.');
  terminal.type('/cache\r');
  await terminal.waitFor('It differs from the previous request in the system prompt, near character');
  terminal.type('/cost\r');
  await terminal.waitFor('Missed the prompt cache since this program started:');
  await terminal.waitFor('/refresh reloaded the instructions and tools (AGENTS.md): 9,000 tokens');
});

test('[K06] the result of a run names what its first request missed in the cache', async () => {
  const space = await workspace();
  const server = await serve([says('one', { usage: LARGE_FIRST }), says('two', { usage: LARGE_FIRST })]);
  const { model, env } = doors.anthropic(server.url);
  const run = async (...args: string[]) => {
    const { stdout } = await aca(space, ['-p', ...args, '--model', model, '--output-format', 'json'], {
      env,
    });
    return JSON.parse(stdout) as { cacheMisses?: unknown };
  };
  expect(await run('a')).not.toHaveProperty('cacheMisses');
  expect((await run('b', '--continue')).cacheMisses).toEqual([
    { reason: 'the vendor did not keep the prompt', tokens: expect.any(Number), costUsd: expect.any(Number) },
  ]);
});

test(
  '[K06] a session that goes on in another mode finds its prompt cached, and the model is told',
  soak,
  async () => {
    const space = await workspace();
    const server = await serve([says('one'), says('two'), says('three')]);
    const { model, env } = doors.anthropic(server.url);
    for (const args of [['a'], ['b', '--continue', '--mode', 'plan'], ['c', '--continue', '--mode', 'plan']])
      expect(await aca(space, ['--model', model, '-p', ...args], { env })).toMatchObject({ code: 0 });

    const bodies = server.requests.map(promptBlocks);
    for (const [i, body] of bodies.slice(1).entries())
      expect(firstDifference(bodies[i] ?? [], body)).toBeNull();
    const said = server.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(said).toEqual(['a', expect.stringMatching(/^\[The permission mode is plan now\..*b$/s), 'c']);
  },
);
