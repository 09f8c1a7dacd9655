// @module-tag soak
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CompletionRequest, Provider, ProviderEvent } from '../../src/contract/provider.ts';
import type { EmbeddedProvider } from '../../src/embedded/provider.ts';
import type { InstalledRuntime } from '../../src/embedded/runtime/runtime-folder.ts';
import { buildWorker, CALLS, GREETS, type TinyOptions, tinyProvider } from '../support/embedded.ts';
import { realRuntime } from '../support/embedded-runtime.ts';
import { pidsOf, runningWith } from '../support/processes.ts';

let missing = '';
let runtime: InstalledRuntime;
let worker: string;
let folder: string;
const open: EmbeddedProvider[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-engine-'));
  worker = await buildWorker();
  const found = await realRuntime(afterAll);
  if (typeof found === 'string') missing = found;
  else runtime = found;
}, 300_000);

beforeEach(({ skip }) => {
  skip(missing !== '', missing);
});

afterAll(async () => {
  await Promise.all(open.map((provider) => provider.close()));
  await rm(folder, { recursive: true, force: true });
  await rm(worker, { force: true });
});

type Options = Omit<Parameters<typeof tinyProvider>[2], 'runtime' | 'worker'>;

async function tiny(name: string, model: TinyOptions, options: Options = {}): Promise<EmbeddedProvider> {
  const provider = await tinyProvider(path.join(folder, `${name}.gguf`), model, {
    ...options,
    runtime,
    worker,
  });
  open.push(provider);
  return provider;
}

function request(text: string, more: Partial<CompletionRequest> = {}): CompletionRequest {
  const user = { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: '' };
  return { model: 'tiny', system: 'You are brief.', messages: [user], ...more };
}

async function ask(provider: Provider, asked: CompletionRequest): Promise<ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

const parameters = { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] };
const tools = ['Read', 'Write'].map((name) => ({ name, description: `${name} a file.`, parameters }));

test('a reply streams piece by piece, and a second one reads only what is new', async () => {
  const provider = await tiny('greets', { chains: GREETS });

  const first = await ask(provider, request('hello'));
  expect(first.filter((event) => event.type === 'text')).toEqual([
    { type: 'text', text: 'Hello' },
    { type: 'text', text: ' world' },
    { type: 'text', text: '.' },
  ]);
  expect(first.at(-1)).toEqual({ type: 'stop', reason: 'end' });

  const second = await ask(provider, request('hello again'));
  const usage = second.find((event) => event.type === 'usage')?.usage;
  expect(usage?.cacheReadTokens).toBeGreaterThan(usage?.inputTokens ?? Number.POSITIVE_INFINITY);
});

test('an abort ends a reply that would go on for minutes, and the next one comes as if nothing had been', async () => {
  const provider = await tiny('endless', { chains: [['Ċ', 'Hello', 'Ġworld', 'Hello']], context: 32_768 });
  await ask(provider, request('warm up', { maxTokens: 2 }));
  const stop = new AbortController();
  const reply = (async () => {
    for await (const event of provider.stream(request('go on'), stop.signal))
      if (event.type === 'text') stop.abort(new Error('enough'));
  })();

  await expect(reply).rejects.toThrow('enough');
  const events = await ask(provider, request('again', { maxTokens: 2 }));
  expect(events.at(-1)).toEqual({ type: 'stop', reason: 'max_tokens' });
});

test('an abort ends the reading of a prompt that would take minutes, too', async () => {
  const provider = await tiny('reads', { chains: GREETS, context: 32_768, width: 256, layers: 4 });
  await ask(provider, request('warm up', { maxTokens: 1 }));
  const stop = new AbortController();
  const reply = (async () => {
    for await (const _ of provider.stream(request('many words '.repeat(3800)), stop.signal)) void _;
  })();
  await sleep(150);
  stop.abort(new Error('enough'));

  await expect(reply).rejects.toThrow('enough');
  // The engine is free again: it does not read to the end.
  await ask(provider, request('next', { maxTokens: 1 }));
});

test.each([
  ['whose template knows tools', undefined],
  ['without a template', null],
])(
  'random weights %s, held to the grammar, always write a call that can be read',
  async (_, template) => {
    const chains = [
      ['Ċ', '<tool_call>'],
      ['</tool_call>', '<|im_end|>'],
    ];
    // Of free text random weights never come to an end.
    const properties = {
      how: { enum: ['fast', 'slow'] },
      deep: { type: 'boolean' },
      order: { type: 'array', items: { enum: ['name', 'size'] } },
    };
    const choosing = ['List', 'Sort'].map((name) => ({
      name,
      description: `${name} files.`,
      parameters: { type: 'object', properties, required: ['how'] },
    }));
    for (const seed of [1, 2]) {
      const provider = await tiny(`random-${seed}`, {
        chains,
        seed,
        ...(template === null && { template }),
      });
      const events = await ask(
        provider,
        request('do it', { tools: choosing, temperature: 1, maxTokens: 2000 }),
      );
      const start = events.find((event) => event.type === 'tool_call_start');
      const delta = events.find((event) => event.type === 'tool_call_delta');
      expect(['List', 'Sort']).toContain(start?.name);
      expect(['fast', 'slow']).toContain(JSON.parse(delta?.json ?? '').how);
      await provider.close();
    }
  },
  120_000,
);

test('a call written in a way nobody can read is asked for once more, under the grammar', async () => {
  // The template shows calls as mere JSON, so that no opening switches the grammar on.
  const template = `{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + (m.content or '') }}
{%- for c in m.tool_calls or [] %}{{- '{"name": "' + c.function.name + '", "arguments": ' + (c.function.arguments | tojson) + '}' }}{%- endfor %}
{{- '<|im_end|>\\n' }}{%- endfor %}{%- if tools %}{{- tools | tojson }}{%- endif %}{{- '<|im_start|>assistant\\n' }}`;
  const generated: number[] = [];
  const provider = await tiny(
    'slips',
    {
      template,
      chains: [
        ['Ċ', '{"', 'name', '":', 'Ġ"', 'R', 'e', 'a', 'd', '",', '<|im_end|>'],
        ['"', 'R', 'e', 'a', 'd', '"'],
        ['</tool_call>', '<|im_end|>'],
      ],
    },
    { onGenerated: ({ outputTokens }) => generated.push(outputTokens) },
  );

  const events = await ask(provider, request('do it', { tools, maxTokens: 500 }));

  expect(generated.length).toBe(2);
  expect(events.filter((event) => 'key' in event)).toEqual([
    { type: 'tool_call_start', key: 'text-0', name: 'Read' },
    { type: 'tool_call_delta', key: 'text-0', json: expect.stringMatching(/^\{"file_path":".*"\}$/) },
    { type: 'tool_call_end', key: 'text-0' },
  ]);
});

test('a template that takes no system message and no tools is talked to in its own way', async () => {
  const template = `{%- if messages[0].role == 'system' %}{{- raise_exception('no system message here') }}{%- endif %}
{%- for m in messages %}{%- if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{- raise_exception('roles must alternate') }}{%- endif %}
{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}{{- '<|im_start|>assistant\\n' }}`;
  const provider = await tiny('strict', { chains: CALLS, template });
  const { messages } = request('first');
  const call = { type: 'tool_call' as const, id: 'c1', name: 'Read', input: { file_path: 'a' } };
  const history: CompletionRequest['messages'] = [
    ...messages,
    {
      role: 'assistant',
      content: [call],
      provider: 'x',
      model: 'y',
      stopReason: 'tool_calls',
      timestamp: '',
    },
    {
      role: 'tool',
      callId: 'c1',
      name: 'Read',
      success: true,
      content: [{ type: 'text', text: 'ok' }],
      timestamp: '',
    },
    ...messages,
  ];

  const events = await ask(provider, request('x', { tools, messages: history }));

  expect(events.find((event) => event.type === 'tool_call_delta')).toMatchObject({
    json: '{"file_path":"Read"}',
  });
  expect(await provider.countTokens(request('x', { tools }), new AbortController().signal)).toBeGreaterThan(
    5,
  );
});

test('a conversation longer than the window is refused as such', async () => {
  const provider = await tiny('small', { chains: GREETS, context: 512 });

  await expect(ask(provider, request('many words '.repeat(500)))).rejects.toMatchObject({
    name: 'ProviderError',
    kind: 'overflow',
  });
});

test('a state on the disk makes a new process start warm', async () => {
  const states = path.join(folder, 'states');
  const generated: { warm: number; fromDisk: number }[] = [];
  const options = {
    stateFolder: states,
    onGenerated: (one: { warm: number; fromDisk: number }) => generated.push(one),
  };
  const provider = await tiny('kept', { chains: GREETS }, options);
  const system = 'You are brief and kind to everybody you meet. '.repeat(20);

  await ask(provider, request('one', { system }));
  await provider.close();
  await ask(provider, request('two', { system }));

  expect(generated[0]).toMatchObject({ warm: 0, fromDisk: 0 });
  expect(generated[1]?.fromDisk).toBeGreaterThan(200);
  expect(generated[1]?.warm).toBe(generated[1]?.fromDisk);
});

test('texts become numbers, the same ones every time', async () => {
  const provider = await tiny('numbers', {});
  const signal = new AbortController().signal;

  const [a, b, c] = (await provider.embed(['one text', 'another text', 'one text'], signal)) ?? [];

  expect(a?.length).toBe(64);
  expect(a).toEqual(c);
  expect(a).not.toEqual(b);
});

test('closing ends the process of the model, which frees its memory', async () => {
  const provider = await tiny('closed', { chains: GREETS });
  const before = runningWith(worker).length;
  await ask(provider, request('hello'));
  expect(runningWith(worker).length).toBe(before + 1);

  await provider.close();

  await expect.poll(() => runningWith(worker).length, { timeout: 20_000 }).toBe(before);
});

async function rest<T>(events: AsyncIterator<T>): Promise<T[]> {
  const found: T[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) found.push(next.value);
  return found;
}

test('an abort cancels a slow load at any time, and the next request loads the model again', async () => {
  const provider = await tiny('slow', { chains: GREETS, idleMerges: 300_000 });
  const before = runningWith(worker).length;
  for (const afterMs of [0, 700, 2000]) {
    const stop = new AbortController();
    const events = provider.stream(request('hello'), stop.signal)[Symbol.asyncIterator]();
    const first = await events.next();
    expect(first.value).toMatchObject({ type: 'loading', file: path.join(folder, 'slow.gguf'), share: 0 });
    await sleep(afterMs);
    stop.abort(new Error('enough'));

    // How far it was may still be said.
    await expect(rest(events)).rejects.toThrow('enough');
    await expect.poll(() => runningWith(worker).length, { timeout: 20_000 }).toBe(before);
  }
  const events = await ask(provider, request('hello'));
  expect(events.at(-1)).toEqual({ type: 'stop', reason: 'end' });
});

test('a load that others wait for goes on when one of them is aborted', async () => {
  const provider = await tiny('shared', { chains: GREETS, idleMerges: 100_000 });
  const stop = new AbortController();
  const aborted = provider.stream(request('hello'), stop.signal)[Symbol.asyncIterator]();
  await aborted.next();
  const other = ask(provider, request('hello'));
  stop.abort(new Error('enough'));

  await expect(rest(aborted)).rejects.toThrow('enough');
  expect((await other).at(-1)).toEqual({ type: 'stop', reason: 'end' });
});

test('a model whose process is killed is reported, and the next request loads it again', async () => {
  const provider = await tiny('killed', { chains: [['Ċ', 'Hello', 'Ġworld', 'Hello']], context: 32_768 });
  const known = pidsOf(worker);
  const reply = (async () => {
    for await (const event of provider.stream(request('go on'), new AbortController().signal)) {
      if (event.type === 'text')
        for (const pid of pidsOf(worker)) if (!known.has(pid)) process.kill(pid, 'SIGKILL');
    }
  })();

  await expect(reply).rejects.toThrow(
    'The embedded model stopped: the system killed it, probably for lack of memory.',
  );
  const events = await ask(provider, request('again', { maxTokens: 2 }));
  expect(events.at(-1)).toEqual({ type: 'stop', reason: 'max_tokens' });
});

test('a call of the grammar survives the whole way: call, result, next call', async () => {
  const provider = await tiny('calls', { chains: CALLS });
  const first = await ask(provider, request('read', { tools }));
  expect(first.find((event) => event.type === 'tool_call_delta')).toMatchObject({
    json: '{"file_path":"Read"}',
  });
  const { messages } = request('read');
  const second = await ask(provider, {
    ...request('read', { tools }),
    messages: [
      ...messages,
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'c1', name: 'Read', input: { file_path: 'Read' } }],
        provider: 'embedded',
        model: 'tiny',
        stopReason: 'tool_calls',
        timestamp: '',
      },
      {
        role: 'tool',
        callId: 'c1',
        name: 'Read',
        success: true,
        content: [{ type: 'text', text: 'ok' }],
        timestamp: '',
      },
    ],
  });
  expect(second.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
});
