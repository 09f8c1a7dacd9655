import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProtocolName } from './protocol.ts';
import {
  calls,
  cuts,
  drops,
  fails,
  garbage,
  hangs,
  keepAlive,
  rawChunks,
  type Step,
  says,
  shreds,
  slowly,
  stalls,
  thinks,
} from './script.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from './server.ts';

type Asking = { path: string; headers: Record<string, string>; body: Record<string, unknown> };

const messages = [{ role: 'user', content: 'hi' }];
const bearer = { authorization: 'Bearer sk-test' };
const ASK: Record<ProtocolName, Asking> = {
  anthropic: {
    path: '/v1/messages',
    headers: { 'x-api-key': 'sk', 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-5', max_tokens: 10, stream: true, messages },
  },
  'openai-chat': {
    path: '/v1/chat/completions',
    headers: bearer,
    body: { model: 'gpt-4.1', stream: true, messages },
  },
  'openai-responses': {
    path: '/v1/responses',
    headers: bearer,
    body: { model: 'gpt-5', stream: true, input: 'hi' },
  },
  google: {
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': 'AIza' },
    body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  },
  ollama: { path: '/api/chat', headers: {}, body: { model: 'qwen3:8b', messages } },
};
// An object literal has exactly the keys of its type.
const PROTOCOLS = Object.keys(ASK) as ProtocolName[];

async function start(script: Step[], options?: ModelServerOptions) {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  return server;
}

function ask({ url }: ModelServer, protocol: ProtocolName, signal?: AbortSignal): Promise<Response> {
  const { path, headers, body } = ASK[protocol];
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  return fetch(url + path, signal ? { ...init, signal } : init);
}

/** What arrived, and whether the connection broke. */
async function readAll(response: Response): Promise<{ text: string; broke: boolean }> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    return { text, broke: false };
  } catch (error) {
    if (error instanceof TypeError) return { text, broke: true };
    throw error;
  }
}

describe.each(PROTOCOLS)('faults over %s', (protocol) => {
  test('a cut breaks the connection after this many frames', async () => {
    const server = await start([says('half an answer'), cuts(says('half an answer'), { after: 2 })]);
    const whole = await readAll(await ask(server, protocol));
    const cut = await readAll(await ask(server, protocol));

    expect(whole.broke).toBe(false);
    expect(cut.broke).toBe(true);
    expect(frames(cut.text)).toHaveLength(2);
    expect(frames(whole.text).length).toBeGreaterThan(3);
    expect(server.requests.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  test('a clean cut sends everything except the ending', async () => {
    const server = await start([cuts(says('all of it'), { after: 'content', how: 'end' })]);
    const { text, broke } = await readAll(await ask(server, protocol));

    expect(broke).toBe(false);
    expect(text).not.toMatch(
      /stop_reason":"|finish_reason":"|finishReason|response\.completed|done":true|\[DONE\]/,
    );
    expect(text).toMatch(/f it|ll/);
  });

  test('a garbage frame is not JSON; a page is not a stream; silence is an empty stream', async () => {
    const server = await start([garbage(), garbage('html'), garbage('empty'), garbage('stranger')]);
    const broken = frames((await readAll(await ask(server, protocol))).text).filter(
      (frame) => !isJson(frame),
    );
    expect(broken).toHaveLength(1);

    const page = await ask(server, protocol);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await readAll(await ask(server, protocol))).toEqual({ text: '', broke: false });
    expect(await (await ask(server, protocol)).json()).toEqual({ status: 'ok' });
  });

  test('a client that leaves a hanging server is recorded', async () => {
    const server = await start([hangs(), stalls(says('half an answer'), { after: 2 })]);
    const impatient = new AbortController();
    const left = expect(ask(server, protocol, impatient.signal)).rejects.toThrow();
    await expect.poll(() => server.requests.length).toBe(1);
    impatient.abort();
    await left;

    const leaving = new AbortController();
    const reader = (await ask(server, protocol, leaving.signal)).body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    leaving.abort();
    await expect.poll(() => server.requests.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(server.requests.map(({ endedAt }) => endedAt)).toEqual([undefined, undefined]);
  });

  test('a dropped connection gives no answer at all', async () => {
    const server = await start([drops(), says('again')]);
    await expect(ask(server, protocol)).rejects.toThrow('fetch failed');
    expect((await ask(server, protocol)).status).toBe(200);
  });

  test('running out of steps is a clear 500, and is recorded', async () => {
    const server = await start([says('only')]);
    await readAll(await ask(server, protocol));
    expect(server.exhausted).toBe(false);

    const response = await ask(server, protocol);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('the script has 1 steps, this is request 2');
    expect(server.exhausted).toBe(true);
  });

  test('a slow reply takes the given time', async () => {
    const server = await start([slowly(says('hello there'), { firstMs: 100, betweenMs: 10 })]);
    const began = performance.now();
    const response = await ask(server, protocol);
    const first = performance.now() - began;
    await readAll(response);

    expect(first).toBeGreaterThanOrEqual(39);
    expect(performance.now() - began).toBeGreaterThanOrEqual(60);
    const { receivedAt = 0, endedAt = 0 } = server.requests[0] ?? {};
    expect(endedAt - receivedAt).toBeGreaterThanOrEqual(60);
  });

  test('keep-alives come between the frames, and split bytes arrive complete', async () => {
    const server = await start([says('é🧪'), keepAlive(says('é🧪')), shreds(says('é🧪'))]);
    const plain = (await readAll(await ask(server, protocol))).text;
    const noisy = (await readAll(await ask(server, protocol))).text;
    const torn = (await readAll(await ask(server, protocol))).text;

    expect(noisy.length).toBeGreaterThan(plain.length);
    expect(frames(torn).every(isJson)).toBe(true);
    expect(torn).toContain('\\ud83e');
  });

  test('a non-streamed reply breaks in its middle', async () => {
    const server = await start([cuts(says('half an answer'), { after: 3 })]);
    const { path, headers, body } = ASK[protocol];
    const { stream: _streaming, ...rest } = body;
    const response = await fetch(server.url + path.replace('streamGenerateContent', 'generateContent'), {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...rest, ...(protocol === 'google' ? {} : { stream: false }) }),
    });
    const { text, broke } = await readAll(response);
    expect(broke).toBe(true);
    expect(text).toMatch(/^\{"/);
    expect(isJson(text)).toBe(false);
  });

  test('a client without a key is refused like by the vendor, unless the server is keyless', async () => {
    const strict = await start([says('ok')]);
    const keyless = await start([says('ok')], { keyless: true });
    const { path, body } = ASK[protocol];
    const init = {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    };

    const expected = {
      anthropic: 401,
      'openai-chat': 401,
      'openai-responses': 401,
      google: 403,
      ollama: 200,
    };
    expect((await fetch(strict.url + path, init)).status).toBe(expected[protocol]);
    expect((await fetch(keyless.url + path, init)).status).toBe(200);
  });
});

describe('the scripted server', () => {
  test('a step may be a function of the request', async () => {
    const server = await start([async ({ messages: [first] }) => says(`you said ${first?.text}`)]);
    expect((await readAll(await ask(server, 'ollama'))).text).toMatch(/"you s".*"aid".*" hi"/s);
  });

  test('one script serves any protocol', async () => {
    const server = await start(PROTOCOLS.map((name) => calls([name])));
    for (const protocol of PROTOCOLS) {
      expect((await readAll(await ask(server, protocol))).text).toContain(`"name":"${protocol}"`);
    }
    expect(server.requests.map(({ protocol }) => protocol)).toEqual(PROTOCOLS);
  });

  test('bytes are sent unchanged', async () => {
    const server = await start([
      rawChunks(['data: a', Uint8Array.of(0xc3), Uint8Array.of(0xa9)], { status: 201 }),
    ]);
    const response = await ask(server, 'openai-chat');
    expect([response.status, await response.text()]).toEqual([201, 'data: aé']);
  });

  test('a looping script starts again', async () => {
    const server = await start([fails(503), says('ok')], { loop: true });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await ask(server, 'ollama')).status);
    expect(statuses).toEqual([503, 200, 503, 200]);
  });

  test('a step that throws is reported to the test', async () => {
    const server = await start([
      () => {
        throw new Error('no such fixture');
      },
    ]);
    expect((await ask(server, 'ollama')).status).toBe(500);
    expect(server.refusals).toEqual(['the script failed: Error: no such fixture']);
  });

  test('a doubled version, a wrong method and an invalid body are refused, each in the vendor format', async () => {
    const server = await start([says('never')]);
    const post = { method: 'POST', headers: { ...bearer }, body: '{"model":' };

    expect((await fetch(`${server.url}/v1/v1/chat/completions`, post)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/messages`)).status).toBe(404);
    const broken = await fetch(`${server.url}/v1/chat/completions`, post);
    expect([broken.status, await broken.json()]).toEqual([
      400,
      {
        error: {
          message: 'We could not parse the JSON body of your request.',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
    ]);
    expect(server.requests).toEqual([]);
  });

  test('compatible vendors have their own prefixes', async () => {
    const server = await start([says('a'), says('b'), says('c')]);
    const { headers, body } = ASK['openai-chat'];
    for (const base of ['', '/openai/v1', '/api/v1']) {
      const response = await fetch(`${server.url}${base}/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
    }
  });

  test('a refused request is recorded with the reason and takes no step', async () => {
    const server = await start([says('still here')]);
    const { path, headers } = ASK.anthropic;
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'm', messages }),
    });

    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'max_tokens: Field required' },
    });
    expect(server.requests.map(({ refused }) => refused)).toEqual(['max_tokens: Field required']);
    expect((await readAll(await ask(server, 'anthropic'))).text).toContain('still');
  });

  test('closing fails if a vendor would have answered worse than it could, unless that is the point', async () => {
    const loop = [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'Read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'alpha' },
    ];
    const run = async (options: ModelServerOptions) => {
      const server = await startModelServer([thinks('hm', calls(['Read'])), says('ok')], {
        enforce: 'all',
        ...options,
      });
      for (const messages of [loop.slice(0, 1), loop]) {
        const body = JSON.stringify({ model: 'gpt-oss-120b', messages });
        const init = { method: 'POST', headers: { ...bearer }, body };
        expect((await fetch(`${server.url}/v1/chat/completions`, init)).status).toBe(200);
      }
      return server;
    };
    const strict = await run({});
    const detail = 'messages[1] came back without its reasoning';
    const rule = 'open models get the reasoning of a tool loop back';
    expect(strict.degradations).toEqual([{ vendor: 'local', rule, detail }]);
    await expect(strict.close()).rejects.toThrow(`- local: ${rule} (${detail})`);
    await (await run({ degrades: 'this test is about it' })).close();
  });

  test.each(PROTOCOLS)('a thinking server thinks before every reply over %s', async (protocol) => {
    const server = await start([says('ok')], { thinks: true });
    const { text } = await readAll(await ask(server, protocol));
    const marks = {
      anthropic: '"type":"thinking"',
      'openai-chat': '"reasoning_content":',
      'openai-responses': '"type":"reasoning"',
      google: '"thought":true',
      ollama: '"thinking":',
    };
    expect(text).toContain(marks[protocol]);
  });

  test('it closes with requests still pending', async () => {
    const server = await startModelServer([hangs()]);
    const pending = ask(server, 'ollama').catch((error: unknown) => error);
    while (server.requests.length === 0) await sleep(5);
    await server[Symbol.asyncDispose]();
    expect(await pending).toBeInstanceOf(TypeError);
  });
});

/** Payloads of frames: SSE data or lines. */
function frames(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith('data: ')) return line === 'data: [DONE]' ? [] : [line.slice(6)];
    return line.startsWith('{') ? [line] : [];
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
