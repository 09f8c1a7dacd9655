import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca } from '../support/aca.ts';
import { deadUrl } from '../support/loopback.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import type { ModelServerOptions } from '../support/model-server/server.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { workspace } from '../support/workspace.ts';

async function start(script: Step[], options: ModelServerOptions = {}) {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const server = await serve(script, { keyless: true, ...options });
  const run = async (...args: string[]) => {
    const all = ['-p', 'go', '--model', 'llamacpp/tiny', '--output-format', 'json', ...args];
    const { code, stdout } = await aca(space, all, { env: { LLAMACPP_BASE_URL: `${server.url}/v1` } });
    return { code, report: JSON.parse(stdout) as Report };
  };
  return { space, server, run };
}

const read = calls(['Read', { file_path: 'a.txt' }]);
const broken = (raw: string): Step => calls(['Read', {}, { rawArguments: raw }]);

describe('calls that cannot be read', () => {
  test('are fixed within two tries, with a precise error for each', async () => {
    const { run, server } = await start([
      broken('{"file_path": '),
      calls(['Read', { path_of_file: 'a.txt' }]),
      read,
      says('alpha it is'),
    ]);
    expect(await run()).toMatchObject({ code: 0, report: { result: 'alpha it is', stopReason: 'done' } });
    const told = server.requests.map(({ messages }) => messages.at(-1)?.results[0]?.text ?? '');
    expect(told[1]).toMatch(
      /^The arguments of Read were not a JSON object, so it did not run \(.*\)\. You sent: \{"file_path": \n/,
    );
    expect(told[2]).toContain('- file_path: ');
    expect(told[3]).toContain('alpha');
  });

  test('end the run with a clear word after five alike', soak, async () => {
    const { run, server } = await start([
      ...['a', 'b', 'c', 'd', 'e'].map((text) => broken(`{"${text}`)),
      says('never'),
    ]);
    const { code, report } = await run();
    expect({ code, stopReason: report.stopReason }).toEqual({ code: 1, stopReason: 'error' });
    expect(report.error?.message).toMatch(
      /^The model made 5 invalid tool calls in a row\. The arguments of Read were not/,
    );
    expect(report.error?.hint).toContain('aca models probe');
    expect(server.requests).toHaveLength(5);
  });
});

test('the same call three times with the same answer ends the run', soak, async () => {
  const { run, server } = await start([read, read, read, says('never')]);
  expect(await run()).toMatchObject({
    code: 1,
    report: {
      stopReason: 'error',
      error: {
        message: 'The model repeated the same call 3 times with the same result: Read {"file_path":"a.txt"}',
        hint: 'Tell it what to do instead, or choose a stronger model.',
      },
    },
  });
  expect(server.requests).toHaveLength(3);
});

test('a small window gets few tools and a short prompt; a large one gets all', soak, async () => {
  const offered = async (contextLength: number) => {
    const space = await workspace();
    const server = await serve([says('ok')], { keyless: true, contextLength });
    await aca(space, ['-p', 'go', '--model', 'ollama/tiny'], { env: { OLLAMA_HOST: server.url } });
    const { tools = [], messages = [] } = (server.requests[0]?.body ?? {}) as {
      tools?: { function: { name: string } }[];
      messages?: { content: string }[];
    };
    return { tools: tools.map((tool) => tool.function.name), system: messages[0]?.content.length ?? 0 };
  };
  const small = await offered(8192);
  const large = await offered(131_072);
  expect(small.tools).toEqual(['Read', 'Edit', 'Write', 'Glob', 'Grep', 'Bash']);
  expect(large.tools.length).toBeGreaterThan(12);
  expect(small.system).toBeLessThan(large.system / 2);
});

test('[N12] on the first start one key is enough: a server that has come up since is found and answers', async () => {
  const space = await workspace();
  const url = await deadUrl();
  const screen = openTerminal(space, ['--plain'], { OLLAMA_HOST: url });
  await screen.waitFor('[s] search for local servers again');
  await serve([says('Hello from here.')], { keyless: true, port: Number(new URL(url).port) });
  screen.type('s');
  await screen.waitFor('ai-code-assistant · ollama/qwen3:8b');
  screen.type('hello\r');
  await screen.waitFor('Hello from here.');
});

test('a model file on the disk is offered behind a key; what cannot be fetched is told, and the menu comes back', async () => {
  const space = await workspace();
  const folder = path.join(space.home, '.cache', 'llama.cpp');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'tiny-Q4_0.gguf'), 'GGUF');
  const screen = openTerminal(space, ['--plain'], { AI_ASSISTANT_OFFLINE: '1' });
  await screen.waitFor('[1] use tiny-Q4_0.gguf (1 MB); also downloads the runtime, once');
  await screen.waitFor('[q] quit');
  screen.type('1');
  await screen.waitFor('Offline');
  await screen.waitFor('[q] quit', 2);
  screen.type('q');
  expect(await screen.exitCode).toBe(0);
});
