import { mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aca, parseStream } from '../support/aca.ts';
import { CALLS, GREETS, runtimeHome, tinyModel } from '../support/embedded.ts';
import { realRuntime } from '../support/embedded-runtime.ts';
import { openLab } from '../support/lab.ts';
import { says } from '../support/model-server/script.ts';
import { commandsIn, nobodyIn } from '../support/processes.ts';
import { binary } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Goes on until it is stopped. */
const ENDLESS = [['Ċ', 'Hello', 'Ġworld', 'Hello']];

/** Why the real runtime is not there; empty when it is. */
let missing = '';

/** A workspace whose data root has the runtime, as if `models setup` had put it there. */
async function withRuntime(files: Record<string, string>): Promise<Workspace & { root: string }> {
  const space = await workspace(files);
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await symlink(path.join(runtimeHome, 'runtime'), path.join(root, 'runtime'));
  return space;
}

/** Like everything that downloads something; but what runs the binary is not in `npm test` anyway. */
const when = binary !== undefined && process.platform === 'linux' ? {} : soak;

describe('an embedded model', when, () => {
  beforeAll(async () => {
    const found = await realRuntime(afterAll);
    if (typeof found === 'string') missing = found;
  }, 300_000);

  beforeEach(({ skip }) => {
    skip(missing !== '', missing);
  });

  test('R01 a model file alone is enough for an answer: no server, no key, no account', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'greets.gguf'), { chains: GREETS });

    const { code, stdout, stderr } = await aca(space, ['-p', 'hello', '--model', model]);

    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'Hello world.\n' });
  });

  test('a call held to the grammar is valid and is carried out, and its result is read by the model', async () => {
    const space = await withRuntime({ Read: 'the words in the file\n' });
    const model = await tinyModel(path.join(space.home, 'calls.gguf'), { chains: CALLS });
    // What the chains leave open is then the same every time.
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), '{ "temperature": 0 }');

    const { stdout, stderr } = await aca(space, [
      ...['-p', 'read it', '--model', model, '--max-turns', '2', '--output-format', 'stream-json'],
    ]);

    const { events, report } = parseStream(stdout);
    const messages = events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
    const [, call, result, second] = messages;
    expect(call, stderr).toMatchObject({
      role: 'assistant',
      provider: 'embedded',
      stopReason: 'tool_calls',
      content: [{ type: 'tool_call', name: 'Read', input: { file_path: 'Read' } }],
    });
    expect(result, JSON.stringify(call)).toMatchObject({ role: 'tool', name: 'Read', success: true });
    expect(JSON.stringify(result)).toContain('the words in the file');
    // The second reply begins where the first one ended: only what was new had to be read.
    const usage = second?.role === 'assistant' ? second.usage : undefined;
    expect(usage?.cacheReadTokens).toBeGreaterThan(usage?.inputTokens ?? Number.POSITIVE_INFINITY);
    expect(report.type).toBe('result');
  });

  test('a new process takes up the prompt that an earlier one has read', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'greets.gguf'), { chains: GREETS });
    const run = async (prompt: string) => {
      const { stdout } = await aca(space, ['-p', prompt, '--model', model, '--output-format', 'stream-json']);
      const { events } = parseStream(stdout);
      const reply = events.flatMap((event) => (event.type === 'message' ? [event.message] : [])).at(-1);
      return reply?.role === 'assistant' ? reply.usage : undefined;
    };

    const cold = await run('first words');
    const warm = await run('other words');

    expect(cold).toMatchObject({ cacheReadTokens: 0 });
    expect(warm?.cacheReadTokens).toBeGreaterThan(300);
    expect(warm?.inputTokens).toBeLessThan(60);
    const kept = await readdir(path.join(space.home, '.ai-assistant/cache/prompts'));
    expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.state$/)]);
  });

  test('Ctrl-C ends a reply that would never end', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'endless.gguf'), { chains: ENDLESS });
    let stopped = 0;

    const { code, stdout } = await aca(
      space,
      ['-p', 'hello', '--model', model, '--output-format', 'stream-json'],
      {
        onSpawn: (child) => {
          child.stdout?.on('data', (text: string) => {
            if (stopped > 0 || !text.includes('Hello')) return;
            stopped = performance.now();
            child.kill('SIGINT');
          });
        },
      },
    );

    expect(code).toBe(130);
    expect(performance.now() - stopped).toBeLessThan(20_000);
    expect(parseStream(stdout).report.stopReason).toBe('interrupted');
  });

  test('a reply that would never end stops at the output limit, and so does each of its continuations', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'endless.gguf'), { chains: ENDLESS });
    const settings = { temperature: 0, models: { [`embedded/${model}`]: { maxOutputTokens: 20 } } };
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), JSON.stringify(settings));

    const { code, stdout, stderr } = await aca(space, [
      ...['-p', 'hello', '--model', model, '--output-format', 'stream-json'],
    ]);

    const { events, report } = parseStream(stdout);
    expect({ code, stopReason: report.stopReason }, stderr).toEqual({ code: 4, stopReason: 'max_tokens' });
    const written = events.flatMap((event) =>
      event.type === 'model_call' ? [event.usage?.outputTokens ?? 0] : [],
    );
    expect(written.length).toBeGreaterThan(1);
    expect(Math.max(...written)).toBeLessThanOrEqual(20);
  });

  test('/model ends the process of the embedded model before', async () => {
    const space = await withRuntime({});
    const first = await tinyModel(path.join(space.home, 'first.gguf'), { chains: GREETS });
    const server = await serve([says('Another one.')], { keyless: true });
    const terminal = openTerminal(space, ['--plain', '--model', first], { OLLAMA_HOST: server.url });
    await terminal.waitFor('>');
    terminal.type('hello\r');
    await terminal.waitFor('Hello world.');
    const workers = () => commandsIn(space.root).filter((command) => command.includes('worker'));
    expect(workers()).toHaveLength(1);

    terminal.type('/model ollama/tiny\r');
    await terminal.waitFor('ai-code-assistant · ollama/tiny');

    expect(workers()).toEqual([]);
    terminal.type('hello\r');
    await terminal.waitFor('Another one.');
  });

  test('Ctrl-C ends a slow load at once, and leaves no process behind', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'slow.gguf'), {
      chains: GREETS,
      idleMerges: 1_000_000,
    });
    let stopped = 0;

    const { code, stderr } = await aca(space, ['-p', 'hello', '--model', model], {
      onSpawn: (child) => {
        child.stderr?.on('data', async (text: string) => {
          if (!text.includes('Loading slow.gguf, 0% of ')) return;
          // By then llama.cpp itself is loading.
          await sleep(1_500);
          stopped = performance.now();
          child.kill('SIGINT');
        });
      },
    });

    expect({ code, tookTooLong: performance.now() - stopped > 8_000 }, stderr).toEqual({
      code: 130,
      tookTooLong: false,
    });
    await nobodyIn(space.root);
  });

  test('Esc during a load shows its progress, cancels it, and the next prompt loads the model', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'slow.gguf'), {
      chains: GREETS,
      idleMerges: 300_000,
    });
    const lab = openLab(space, ['--model', model], { whenDone: onTestFinished });
    await lab.waitFor((it) => it.rows().some((row) => row.startsWith('>')));
    lab.type('hello\r');
    await lab.waitFor((it) => /Loading slow\.gguf, \d+% of \d+\.\d MB/.test(it.rows().join('\n')));

    lab.type('\u001b');

    await lab.waitFor((it) => /interrupted/i.test(it.all().join('\n')));
    lab.type('hello again\r');
    await lab.waitFor('Hello world.');
  });

  test('a model that cannot fit into memory is announced before it is loaded', async () => {
    const space = await withRuntime({});
    const model = await tinyModel(path.join(space.home, 'huge.gguf'), { chains: GREETS });
    // Sparse: it takes no room on the disk.
    await truncate(model, 2e12);
    const warning =
      /^huge\.gguf needs 2000\.\d\d GB of memory, but only \d+\.\d+ [GM]B are available\. It will be very slow/m;

    const used = await aca(space, ['models', 'use', model]);
    expect(used).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) });
    const about = JSON.parse((await aca(space, ['models', 'info', model, '--json'])).stdout);
    expect(about.memoryBytes).toBeGreaterThan(about.availableBytes);
    const lab = openLab(space, [], { whenDone: onTestFinished });
    await lab.waitFor((it) => /huge\.gguf needs 2000/.test(it.all().join(' ')));
  });

  test('R02 a model is named once for good, and the next conversation uses it', async () => {
    const space = await withRuntime({});
    const root = path.join(space.home, '.ai-assistant');
    await tinyModel(path.join(root, 'models/me--mine/small.gguf'), { chains: GREETS });

    const use = await aca(space, ['models', 'use', 'small']);
    expect(use).toMatchObject({ code: 0, stdout: 'Default model set to embedded/small.\n' });
    expect(JSON.parse(await readFile(path.join(root, 'config.json'), 'utf8'))).toEqual({
      model: 'embedded/small',
    });
    const list = await aca(space, ['models', 'list']);
    expect(list.stdout).toMatch(/^embedded\/small +4K context +F32, 0\.\d MB$/m);
    const { stdout } = await aca(space, ['-p', 'hello']);
    expect(stdout).toBe('Hello world.\n');

    const removed = await aca(space, ['models', 'remove', 'small']);
    expect(removed.code).toBe(0);
    const gone = await aca(space, ['-p', 'hello']);
    expect(gone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The model small is not downloaded.'),
    });
  });

  test('without anything configured, a model on the disk answers by itself', async () => {
    const space = await withRuntime({});
    await tinyModel(path.join(space.home, '.ai-assistant/models/me--mine/small.gguf'), { chains: GREETS });

    const { stdout, stderr } = await aca(space, ['-p', 'hello']);

    expect(stdout, stderr).toBe('Hello world.\n');
  });

  test('a runtime that is missing and a file that is no model are told in words', async () => {
    const bare = await workspace({});
    const model = await tinyModel(path.join(bare.home, 'm.gguf'), {});
    const text = path.join(bare.home, 'text.gguf');
    await writeFile(text, 'hello');

    expect(await aca(bare, ['-p', 'hello', '--model', model])).toMatchObject({
      code: 2,
      stderr: 'The runtime for embedded models is not installed.\nInstall it with: aca models setup\n',
    });
    expect(await aca(bare, ['-p', 'hello', '--model', text])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'text.gguf is not a valid model file: it does not start with a GGUF header.',
      ),
    });
  });
});
