// @module-tag soak
import path from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { aca, parseStream } from '../support/aca.ts';
import { GREETS, type TinyOptions, tinyModel } from '../support/embedded.ts';
import { fetchLlamaServer, startLlamaServer } from '../support/llama-server.ts';
import { workspace } from '../support/workspace.ts';

/** Why the real server is not there; empty when it is. */
let missing = '';

beforeAll(async () => {
  missing = await fetchLlamaServer();
}, 600_000);

beforeEach(({ skip }) => {
  skip(missing !== '', missing);
});

async function machine(flags: string[] = [], options: TinyOptions = { chains: GREETS, context: 8192 }) {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const file = await tinyModel(path.join(space.home, 'tiny.gguf'), options);
  const url = await startLlamaServer(file, flags);
  const env = { LLAMACPP_BASE_URL: `${url}/v1` };
  const run = (args: string[], more: Record<string, string> = {}) =>
    aca(space, args, { env: { ...env, ...more } });
  // Its name for the model is the path it was started with.
  return { run, file, model: `llamacpp/${file}` };
}

test('llama-server is listed with its real window, probed, and answers under its own model name', async () => {
  const { run, file, model } = await machine(['-c', '4096']);
  const { stdout } = await run(['models']);
  const [row = ''] = stdout.split('\n');
  expect(row.replaceAll(/ +/g, ' ')).toBe(`${model} 4K context 0.0 GB, tools, loaded`);

  expect(await run(['-p', 'hello', '--model', model])).toEqual({
    code: 0,
    stdout: 'Hello world.\n',
    stderr: '',
  });
  expect(await run(['-p', 'hello'])).toMatchObject({ code: 0, stdout: 'Hello world.\n' });

  const probed = await run(['models', 'probe', model, '--json']);
  expect(JSON.parse(probed.stdout), probed.stderr).toMatchObject({
    model: file,
    contextWindow: 4096,
    callsTools: false,
    streaming: true,
  });
});

test('an oversized prompt is shortened to the real window', async () => {
  const { run, model } = await machine(['-c', '4096']);
  const long = 'a line of a long log\n'.repeat(3000);
  const { code, stdout } = await run([
    ...['-p', `explain ${long}`, '--model', model, '--output-format', 'stream-json'],
  ]);
  const { report, events } = parseStream(stdout);
  expect({ code, result: report.result }).toEqual({ code: 0, result: 'Hello world.' });
  expect(
    events.some((event) => event.type === 'notice' && event.text.includes('Long texts are shortened')),
  ).toBe(true);
});

test('a server with a key: named when it is missing, used when it is set', async () => {
  const { run, model } = await machine(['--api-key', 'secret']);
  const without = await run(['-p', 'hello', '--model', model]);
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain('aca keys set llamacpp');
  expect(await run(['-p', 'hello', '--model', model], { LLAMA_API_KEY: 'secret' })).toEqual({
    code: 0,
    stdout: 'Hello world.\n',
    stderr: '',
  });
});

test('a model that never stops is ended by the output limit', async () => {
  // One token that follows itself.
  const { run, model } = await machine(['-c', '2048'], { chains: [['Ċ', 'Hello', 'Hello']], context: 2048 });
  const { stdout } = await run(['-p', 'hello', '--model', model, '--output-format', 'json'], {
    AI_ASSISTANT_MAX_TOKENS: '64',
  });
  expect(JSON.parse(stdout)).toMatchObject({ stopReason: 'max_tokens' });
});
