import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { deadUrl, loopback } from '../../../test/support/loopback.ts';
import { describeModel, discover } from './discover.ts';

/** A server that knows only these paths. */
function knowing(answers: Record<string, unknown>) {
  return loopback((response: ServerResponse, { path }) => {
    const body = answers[path];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
}

describe('model details by kind of server [V05]', () => {
  test('Ollama', async () => {
    const { url } = await knowing({
      '/api/tags': {
        models: [
          {
            name: 'qwen3:8b',
            digest: 'abc',
            size: 5_000_000_000,
            details: { parameter_size: '8.2B', quantization_level: 'Q4_K_M' },
          },
        ],
      },
      '/api/show': {
        capabilities: ['completion', 'tools', 'thinking'],
        model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
      },
    });
    const model = {
      name: 'qwen3:8b',
      digest: 'abc',
      sizeBytes: 5_000_000_000,
      parameters: '8.2B',
      quantization: 'Q4_K_M',
      contextWindow: 40_960,
      abilities: { tools: true, images: false, thinking: true },
    };
    const candidate = { provider: 'ollama', baseUrl: url, kind: 'ollama' as const };
    expect(await discover([candidate], { depth: 'all' })).toEqual([
      { provider: 'ollama', baseUrl: url, models: [model] },
    ]);
    expect(await describeModel(candidate, 'qwen3:8b')).toEqual({ facts: model });
  });

  test.each([
    [
      'now',
      {
        '/api/v1/models': {
          models: [
            {
              key: 'gemma',
              size_bytes: 3e9,
              params_string: '4B',
              quantization: { name: 'Q4_0' },
              max_context_length: 131_072,
              loaded_instances: [{ config: { context_length: 8192 } }],
              capabilities: { vision: true, trained_for_tool_use: false },
            },
          ],
        },
      },
      { sizeBytes: 3e9, parameters: '4B', digest: 'gemma Q4_0 3000000000' },
    ],
    [
      'before',
      {
        '/api/v0/models': {
          data: [
            {
              id: 'gemma',
              type: 'vlm',
              quantization: 'Q4_0',
              state: 'loaded',
              max_context_length: 131_072,
              loaded_context_length: 8192,
              capabilities: [],
            },
          ],
        },
      },
      { digest: 'gemma Q4_0' },
    ],
  ])('LM Studio %s', async (_, answers, more) => {
    const { url } = await knowing({ '/v1/models': { data: [{ id: 'gemma' }] }, ...answers });
    const candidate = { baseUrl: `${url}/v1`, kind: 'lmstudio' as const };
    expect(await describeModel(candidate, 'gemma')).toEqual({
      facts: {
        name: 'gemma',
        quantization: 'Q4_0',
        contextWindow: 8192,
        abilities: { tools: false, images: true },
        loaded: true,
        ...more,
      },
    });
  });

  test('llama.cpp', async () => {
    const { url } = await knowing({
      '/v1/models': {
        data: [{ id: 'm', meta: { n_ctx_train: 131_072, size: 700, n_params: 9, n_vocab: 3 } }],
        models: [{ name: 'm' }],
      },
      '/props': {
        default_generation_settings: { n_ctx: 4096 },
        model_path: '/models/m-Q8_0.gguf',
        chat_template_caps: { supports_tool_calls: true },
        modalities: { vision: false },
      },
    });
    const found = {
      name: 'm',
      sizeBytes: 700,
      quantization: 'Q8_0',
      contextWindow: 4096,
      abilities: { tools: true, images: false },
      digest: '/models/m-Q8_0.gguf 700-9-3',
      loaded: true,
    };
    for (const kind of ['llamacpp', 'openai'] as const) {
      const [server] = await discover([{ provider: 'x', baseUrl: `${url}/v1/`, kind }], { depth: 'all' });
      expect(server?.models).toEqual([found]);
    }
  });

  test.each([
    [{ supports_tool_calls: true, supports_tools: false }, false],
    [{ supports_tool_calls: false, supports_tools: true }, false],
    [{ supports_tool_calls: true, supports_tools: true }, true],
  ])('llama.cpp with a template of %j: tools %s', async (caps, tools) => {
    const { url } = await knowing({
      '/v1/models': { data: [{ id: 'm' }] },
      '/props': { default_generation_settings: { n_ctx: 4096 }, chat_template_caps: caps },
    });
    const candidate = { baseUrl: `${url}/v1`, kind: 'llamacpp' as const };
    expect((await describeModel(candidate, 'm')).facts?.abilities?.tools).toBe(tools);
  });

  test('vLLM', async () => {
    const { url, requests } = await knowing({
      '/v1/models': { data: [{ id: 'a/b', max_model_len: 16_384, root: '/weights' }] },
    });
    const [server] = await discover([{ provider: 'vllm', baseUrl: `${url}/v1`, kind: 'vllm' }], {
      depth: 'all',
    });
    expect(server?.models).toEqual([{ name: 'a/b', contextWindow: 16_384, digest: '/weights' }]);
    expect(requests.map(({ path }) => path)).toEqual(['/v1/models']);
  });
});

test('silent, absent and unknown servers are skipped, within the time limit', async () => {
  const good = await knowing({ '/v1/models': { data: [{ id: 'a' }, { odd: true }, null] } });
  const silent = await loopback(() => undefined);
  const stranger = await knowing({ '/v1/models': { hello: 'world' } });
  const page = await loopback((response) => void response.end('<html>'));
  const urls = [silent.url, good.url, stranger.url, page.url, await deadUrl()];
  const started = performance.now();
  const found = await discover(
    urls.map((url, i) => ({ provider: `p${i}`, baseUrl: `${url}/v1`, kind: 'vllm' as const })),
  );
  expect(found).toEqual([{ provider: 'p1', baseUrl: `${good.url}/v1`, models: [{ name: 'a' }] }]);
  expect(performance.now() - started).toBeLessThan(20_000);
});

describe('a server that is there but lists nothing', () => {
  const answering = (status: number, body: string) =>
    loopback((response) => void response.writeHead(status).end(body));
  test.each<[string, number, string, string | undefined]>([
    ['llama.cpp loading', 503, '{"error":{"code":503,"message":"Loading model"}}', 'loading'],
    ['llama.cpp with a key', 401, '{"error":{"code":401,"message":"Invalid API Key"}}', 'needs key'],
    ['vLLM with a key', 401, '{"error":"Unauthorized"}', 'needs key'],
    ['FastAPI with a key', 403, '{"detail":"Forbidden"}', 'needs key'],
    ['another program that wants a login', 401, '<html>Sign in</html>', undefined],
    ['a proxy without its server', 503, '<html>Service Unavailable</html>', undefined],
    ['another program', 404, '{"error":"not found"}', undefined],
  ])('%s', async (_name, status, body, state) => {
    const { url } = await answering(status, body);
    const found = await discover([{ provider: 'p', baseUrl: `${url}/v1`, kind: 'llamacpp' }]);
    expect(found).toEqual(state ? [{ provider: 'p', baseUrl: `${url}/v1`, models: [], state }] : []);
  });

  test('is asked again with the key, which it gets only if it wants one', async () => {
    const seen: (string | undefined)[] = [];
    const { url } = await loopback((response, request) => {
      const { authorization } = request.headers;
      seen.push(authorization);
      const ok = authorization === 'Bearer k';
      response.writeHead(ok ? 200 : 401).end(ok ? '{"data":[{"id":"m"}]}' : '{"error":"key"}');
    });
    const keyHeaders = async () => ({ authorization: 'Bearer k' });
    const found = await discover([{ provider: 'p', baseUrl: `${url}/v1`, kind: 'vllm', keyHeaders }]);
    expect(found).toMatchObject([{ models: [{ name: 'm' }] }]);
    expect(seen).toEqual([undefined, 'Bearer k']);
  });
});

test.each<[unknown, number | undefined]>([
  [4096, 4096],
  ['8192', 8192],
  [-1, undefined],
  [0, undefined],
  [1, undefined],
  [1.5, undefined],
  [1e15, undefined],
  [null, undefined],
  ['auto', undefined],
  [{}, undefined],
])('of a window of %j, %j is believed', async (value, expected) => {
  const { url } = await knowing({ '/v1/models': { data: [{ id: 'm', max_model_len: value }] } });
  const [server] = await discover([{ provider: 'p', baseUrl: `${url}/v1`, kind: 'vllm' }]);
  expect(server?.models[0]?.contextWindow).toBe(expected);
});
