import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import { aca, doors, parseStream } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { calls, fails, failsMidway, type Reply, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

async function configure(space: Workspace, config: ConfigInput): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
}

type Door = { model: string; env: Record<string, string> };

const sizeOf = ({ body }: SeenRequest) => JSON.stringify(body).length;

/** As a tokenizer would count it, more or less: what the template makes of the request. */
const tokensOf = ({ body }: SeenRequest) =>
  Math.ceil(JSON.stringify([body.messages, body.tools ?? []]).length / 4);

const isSummary = ({ messages }: SeenRequest) =>
  messages.at(-1)?.text.startsWith('Below is the older part of a conversation') ?? false;

const TURNS = 10;
const names = Array.from({ length: TURNS }, (_, i) => `part-${i}.txt`);
const files = Object.fromEntries(
  names.map((name, i) => [name, `${`line of part ${i}, which goes on and on\n`.repeat(300)}WORD-${i}\n`]),
);

/** A server with a real window: what does not fit, with room for the answer, is refused. */
function smallServer(window: number) {
  let turn = 0;
  const step: Step = (request) => {
    const output = Number((request.body.options as { num_predict?: number } | undefined)?.num_predict ?? 0);
    const asked = tokensOf(request) + output;
    if (output === 0 || asked > window)
      return fails(400, {
        message: `request (${asked} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      });
    if (isSummary(request)) return says('[Completed: some parts were read and some files written]');
    const i = turn++;
    if (i >= 2 * TURNS) return says('All parts are copied.');
    const name = names[Math.floor(i / 2)] ?? '';
    return i % 2 === 0
      ? calls(['Read', { file_path: name }])
      : calls(['Write', { file_path: `copy-of-${name}`, content: `copied ${name}\n` }]);
  };
  return serve([step], { keyless: true, loop: true, contextLength: window });
}

describe('a task of twenty calls on a small window is finished', () => {
  sweep([4096, 6144, 8192])('%i tokens', async (window) => {
    const space = await workspace(files);
    const server = await smallServer(window);
    const args = ['-p', 'Copy each part.', '--model', 'ollama/tiny', '--mode', 'accept-edits'];
    const { code, stdout } = await aca(space, [...args, '--output-format', 'stream-json'], {
      env: { OLLAMA_HOST: server.url },
    });
    const { report, events } = parseStream(stdout);
    expect({ code, result: report.result }).toEqual({ code: 0, result: 'All parts are copied.' });
    const tree = await space.tree();
    expect(Object.keys(tree).filter((name) => name.startsWith('copy-of-'))).toHaveLength(TURNS);
    expect(events.some(({ type }) => type === 'compacted')).toBe(true);
    // Results are clipped to a share of the window, so that few requests have to be refused.
    const longest = server.requests.flatMap(({ messages }) =>
      messages.flatMap(({ results }) => results.map(({ text }) => text.length)),
    );
    expect(Math.max(...longest)).toBeLessThanOrEqual(window + 300);
    expect(server.requests.filter((request) => tokensOf(request) > window)).toEqual([]);
  });
});

test('a single prompt that is larger than a small window is sent in part, and that is said', async () => {
  const space = await workspace();
  const server = await serve(
    [
      (request) =>
        tokensOf(request) > 4096 ? fails(500, { message: 'exceeds context size' }) : says('Fine.'),
    ],
    { keyless: true, contextLength: 4096, loop: true },
  );
  const { code, stdout, stderr } = await aca(space, ['-p', 'explain', '--model', 'ollama/tiny'], {
    env: { OLLAMA_HOST: server.url },
    stdin: 'a line of a long log\n'.repeat(5000),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Fine.\n' });
  expect(stderr).toContain("The conversation exceeds the model's context window. Long texts are shortened.");
});

describe('a request that is refused as too long leads to a compaction, not to a retry', () => {
  const OLLAMA = 'prompt too long; exceeded max context length by 918 tokens';
  const LLAMA = 'the request exceeds the available context size, try increasing it';
  const withinStream = (message: string) => failsMidway(says('x'), { after: 0, message });
  const ollama = (url: string) => ({ model: 'ollama/tiny', env: { OLLAMA_HOST: url } });
  const llama = (url: string) => ({ model: 'llamacpp/tiny', env: { LLAMACPP_BASE_URL: `${url}/v1` } });

  sweep<[string, (url: string) => Door, Reply]>([
    ['Ollama, within the stream', ollama, withinStream(OLLAMA)],
    ['llama.cpp, within the stream', llama, withinStream(LLAMA)],
    ['llama.cpp, as a server error', llama, fails(500, { message: LLAMA })],
    ['Ollama, at once', ollama, fails(500, { message: OLLAMA })],
    ['Ollama, overloaded by name', ollama, fails(503, { message: `server error: ${OLLAMA}` })],
    ['a proxy in front of it', llama, fails(502, { message: `upstream: ${LLAMA}` })],
    [
      'Anthropic, within the stream',
      doors.anthropic,
      withinStream('prompt is too long: 218850 tokens > 200000 maximum'),
    ],
    [
      'OpenAI chat, within the stream',
      doors['openai-chat'],
      withinStream("This model's maximum context length is 128000 tokens."),
    ],
    [
      'OpenAI Responses, within the stream',
      doors['openai-responses'],
      withinStream('Your input exceeds the context window of this model.'),
    ],
    [
      'Gemini, within the stream',
      doors.google,
      withinStream('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'),
    ],
  ])('%s', async (_who, door, refusal) => {
    const space = await workspace(files);
    const reads = names.slice(0, 5).map((name) => calls(['Read', { file_path: name }]));
    const server = await serve([...reads, refusal, says('fine')], { keyless: true });
    const { model, env } = door(server.url);
    const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json'];
    const { code, stdout } = await aca(space, args, { env });
    const { events, report } = parseStream(stdout);
    expect({ code, result: report.result }).toEqual({ code: 0, result: 'fine' });
    expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
    const compactions = events.flatMap((event) => (event.type === 'compacted' ? [event] : []));
    expect(compactions.map(({ before, after }) => after < before)).toEqual([true]);
    const [refused = 0, taken = 0] = server.requests.slice(-2).map(sizeOf);
    expect(taken).toBeLessThan(refused * 0.8);
  });
});

describe('every answer of a local server has a limit', () => {
  const limitOf = ({ body }: SeenRequest) =>
    body.max_tokens ?? (body.options as { num_predict?: number } | undefined)?.num_predict;

  sweep<[string, ConfigInput, string, number]>([
    ['a quarter of the window', {}, 'ollama/tiny', 2048],
    ['of an unknown window', {}, 'llamacpp/tiny', 16_384],
    ['as set for all models', { maxTokens: 700 }, 'ollama/tiny', 700],
    ['as set for this one', { models: { 'llamacpp/tiny': { maxOutputTokens: 900 } } }, 'llamacpp/tiny', 900],
  ])('%s', async (_what, config, model, expected) => {
    const space = await workspace();
    await configure(space, config);
    const server = await serve([says('ok')], { keyless: true, contextLength: 8192 });
    const env = { OLLAMA_HOST: server.url, LLAMACPP_BASE_URL: `${server.url}/v1` };
    expect((await aca(space, ['-p', 'go', '--model', model], { env })).code).toBe(0);
    expect(server.requests.map(limitOf)).toEqual([expected]);
  });
});
