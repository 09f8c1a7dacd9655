import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../src/cli/report.ts';
import { encodePng } from '../../src/tools/png.ts';
import { aca, doors, protocolNames } from '../support/aca.ts';
import { but, calls, says, thinks } from '../support/model-server/script.ts';
import { firstDifference, promptBlocks } from '../support/prompt-blocks.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const FIRST = { inputTokens: 900, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };
const LATER = { inputTokens: 100, outputTokens: 9, cacheReadTokens: 800, cacheWriteTokens: 0 };

/** Ollama tells nothing of what it kept. */
const tellsOfCache = (protocol: string) => protocol !== 'ollama';

test.each(protocolNames)(
  '[K06] over %s a session gone on with in a new process finds its prompt cached',
  async (protocol) => {
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
    const { model, env } = doors[protocol](server.url);
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
    expect(new Set(server.requests.map(({ body }) => body.prompt_cache_key)).size).toBe(1);
    expect(server.refusals).toEqual([]);
    const read = tellsOfCache(protocol) ? 800 : 0;
    expect([first, second].map(({ usage }) => usage.cacheReadTokens)).toEqual([read, 2 * read]);
  },
);

test('[K06] /cache tells what came from the cache, and which block broke it', async () => {
  const space = await workspace();
  const answers = [
    says('First answer.', { usage: FIRST }),
    says('Second answer.', { usage: LATER }),
    says('Third answer.', { usage: FIRST }),
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
  await terminal.waitFor('It begins with all of the request before, unchanged.');
  expect(terminal.screen()).toContain('This session: 44 % from the cache (800 of 1,800 tokens)');
  expect(terminal.screen()).toContain('Last request: 88 % from the cache (800 of 900 tokens)');

  // From now on the word is a secret, and what was said of it is sent in other words.
  await writeFile(path.join(space.root, '.env'), 'PASSWORD=tr0ub4dor-Zq81\n');
  terminal.type('and again\r');
  await terminal.waitFor('Third answer.');
  terminal.type('/cache\r');
  await terminal.waitFor('It differs from the request before in message 1 (user), near character 1:');
});

test('[K06] a session that goes on in another mode finds its prompt cached, and the model is told', async () => {
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
});
