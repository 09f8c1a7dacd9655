import { describe, expect, test } from 'vitest';
import { fails, hello, loopback, modelInfo, play, sse } from '../../../test/support/loopback.ts';
import { createProvider } from '../index.ts';
import { findPreset } from '../presets.ts';

const REFUSAL =
  "Function tools with reasoning_effort are not supported for gpt-6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
const chat = [{ choices: [{ delta: { content: 'chat' }, finish_reason: 'stop' }] }];
const responses = [
  { type: 'response.output_text.delta', output_index: 0, delta: 'responses' },
  { type: 'response.completed', response: {} },
];

type Refusals = Partial<Record<'chat' | 'responses', [status: number, message: string]>>;

/** A server of both APIs, either of which may refuse. */
async function serverOf(refusals: Refusals = {}) {
  return loopback((response, { path }) => {
    const api = /\/responses(\?|$)/.test(path) ? 'responses' : 'chat';
    const [status, message] = refusals[api] ?? [];
    if (status !== undefined) fails(response, status, { body: { error: { message } } });
    else sse(response, api === 'chat' ? chat : responses);
  });
}

async function open(name: string, refusals: Refusals = {}, cloud: { apiVersion?: string } = {}) {
  const preset = findPreset(name);
  if (!preset) throw new Error(`no preset ${name}`);
  const server = await serverOf(refusals);
  const baseUrl = preset.cloud ? server.url : `${server.url}/v1`;
  const options = { baseUrl, apiKey: 'sk-test-1234', infoOf: () => modelInfo({ thinking: true }), cloud };
  const provider = await createProvider(preset, options);
  const tools = [{ name: 'Read', description: '', parameters: { type: 'object' } }];
  return {
    server,
    ask: (model: string) => play(provider, hello({ model, tools, effort: 'high', cacheKey: 'k' })),
    paths: () => server.requests.map(({ path }) => path),
  };
}

describe.each(['openai-chat', 'azure'])('%s', (name) => {
  const [chatPath, responsesPath] =
    name === 'azure'
      ? ['/openai/v1/chat/completions', '/openai/v1/responses']
      : ['/v1/chat/completions', '/v1/responses'];

  test.each([
    ['gpt-6.1-sol', responsesPath],
    ['gpt-6.1-terra', responsesPath],
    ['gpt-6-astra', responsesPath],
    ['gpt-6-luna-2026-09-01', responsesPath],
    ['gpt-5.6-sol', responsesPath],
    ['gpt-5.4', responsesPath],
    ['gpt-5.2', chatPath],
    ['gpt-5', chatPath],
    ['gpt-4-turbo', chatPath],
    ['o3', chatPath],
    ['my-deployment', chatPath],
  ])('%s calls functions over %s', async (model, path) => {
    const { ask, paths } = await open(name);
    expect((await ask(model)).error).toBeUndefined();
    expect(paths()).toEqual([path]);
  });

  test('a refusal that names the other API is followed, and remembered for the model', async () => {
    const { ask, paths } = await open(name, { chat: [400, REFUSAL] });
    const { events, error } = await ask('my-luna');
    expect([events[0], error]).toEqual([{ type: 'text', text: 'responses' }, undefined]);
    await ask('my-luna');
    expect(paths()).toEqual([chatPath, responsesPath, responsesPath]);
  });

  test('a gateway without the Responses API gets Chat Completions', async () => {
    const { ask, paths } = await open(name, { responses: [404, 'Not Found'] });
    expect((await ask('gpt-6-sol')).events[0]).toEqual({ type: 'text', text: 'chat' });
    await ask('gpt-6-sol');
    expect(paths()).toEqual([responsesPath, chatPath, chatPath]);
  });

  test.each<[string, Refusals, number]>([
    ['an unknown model', { responses: [404, 'The model `gpt-6-sol` does not exist.'] }, 1],
    ['a bad request', { responses: [400, 'Invalid schema for function Read'] }, 1],
    ['a refusal of both', { responses: [404, 'Not Found'], chat: [400, REFUSAL] }, 2],
  ])('%s is reported', async (_, refusals, requests) => {
    const { ask, server } = await open(name, refusals);
    const { error } = await ask('gpt-6-sol');
    expect(error).toMatchObject({ message: (refusals.chat ?? refusals.responses)?.[1] });
    expect(server.requests).toHaveLength(requests);
  });
});

test('a dated version of Azure stays for Chat Completions; Responses are at the v1 address', async () => {
  const { ask, paths } = await open('azure', {}, { apiVersion: '2024-10-21' });
  await ask('gpt-4-turbo');
  await ask('gpt-6-sol');
  expect(paths()).toEqual([
    '/openai/deployments/gpt-4-turbo/chat/completions?api-version=2024-10-21',
    '/openai/v1/responses',
  ]);
});

test.each([
  ['grok-4.7', { effort: 'high', summary: 'auto' }],
  ['grok-4.3', { effort: 'high', summary: 'auto' }],
  ['grok-4', { summary: 'auto' }],
  ['grok-4-0709', { summary: 'auto' }],
  ['grok-4-fast-reasoning', { summary: 'auto' }],
])('xAI: %s goes over Responses, with a cache key and the effort it takes', async (model, reasoning) => {
  const { ask, server } = await open('xai');
  await ask(model);
  expect(server.requests[0]).toMatchObject({
    path: '/v1/responses',
    body: { store: false, include: ['reasoning.encrypted_content'], prompt_cache_key: 'k', reasoning },
  });
});
