import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { type Answer, calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

const readA = calls(['Read', { file_path: 'a.txt' }]);

/** A reply whose parts come in this order. */
const parts = (...all: Answer['parts']): Answer => ({ ...readA, parts: all });

test('OpenAI gets its notes back labeled as notes, with the reasoning before them', async () => {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const server = await serve([
    parts(
      { type: 'thinking', text: 'First look.' },
      { type: 'text', text: 'I read the file.', phase: 'commentary' },
      ...readA.parts,
    ),
    says('Alpha.'),
  ]);
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'sk-test' };
  expect(await aca(space, ['-p', 'Look.', '--model', 'openai/gpt-6.1-sol'], { env })).toMatchObject({
    code: 0,
  });
  const input = server.requests[1]?.body.input as Record<string, unknown>[];
  expect(input.slice(-4)).toMatchObject([
    { type: 'reasoning', encrypted_content: expect.any(String) },
    { type: 'message', id: expect.stringMatching(/^msg_/), phase: 'commentary' },
    { type: 'function_call', name: 'Read' },
    { type: 'function_call_output' },
  ]);
});

describe('progress notes of Claude', () => {
  const script = [
    parts(
      { type: 'thinking', text: 'SECRET REASONING' },
      { type: 'thinking', text: 'I read the file first.', note: true },
      ...readA.parts,
    ),
    says('Alpha.'),
  ];
  async function run(...args: string[]) {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const server = await serve(script);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant-test' };
    const model = 'anthropic/claude-sonnet-5-5';
    const outcome = await aca(space, ['-p', 'Look.', '--model', model, ...args], { env });
    return { ...outcome, server, space, env };
  }

  test('go back as signed thoughts, and are text in the saved session', async () => {
    const { code, server, space, env } = await run();
    expect(code).toBe(0);
    expect(server.requests.flatMap(({ refused = [] }) => refused)).toEqual([]);
    const messages = server.requests[1]?.body.messages as { role: string; content: object[] }[];
    expect(messages.find(({ role }) => role === 'assistant')?.content).toMatchObject([
      { type: 'thinking', thinking: '', signature: expect.any(String) },
      { type: 'thinking', thinking: 'I read the file first.', signature: expect.any(String) },
      { type: 'tool_use', name: 'Read' },
    ]);
    const [session = ''] =
      (await aca(space, ['sessions', 'list', '--json'], { env })).stdout.match(/[0-9a-f]{8}-[0-9a-f-]{27}/) ??
      [];
    for (const format of ['markdown', 'html']) {
      const { stdout } = await aca(space, ['sessions', 'export', session, '--format', format], { env });
      expect(stdout).toContain('I read the file first.');
      expect(stdout).not.toContain('<summary>Thinking');
    }
  });

  test.each([
    ['stream-json', []],
    ['stream-json', ['--compat', 'claude']],
    ['stream-json', ['--compat', 'claude', '--include-partial-messages']],
  ])('are text in %s %j', async (format, more) => {
    const { stdout } = await run('--output-format', format, ...more);
    const texts = stdout
      .trim()
      .split('\n')
      .flatMap((line) =>
        [...line.matchAll(/"type":"text(?:_delta)?","text":"([^"]*)"/g)].map(([, text]) => text),
      );
    expect(texts.join('')).toContain('I read the file first.');
  });

  test.each([
    ['the terminal', [], 'claude-sonnet-5-5'],
    ['plain mode', ['--plain'], '> '],
  ])('are shown live in %s, and reasoning is not', async (_, more, prompt) => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const server = await serve(script);
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant-test' };
    const terminal = openTerminal(space, ['--model', 'anthropic/claude-sonnet-5-5', ...more], env);
    await terminal.waitFor(prompt);
    terminal.type('Look.\r');
    await terminal.waitFor('Alpha.');
    await terminal.waitFor('I read the file first.');
    expect(terminal.screen()).not.toContain('REASONING');
  });
});
