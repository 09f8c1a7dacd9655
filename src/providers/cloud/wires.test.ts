import { describe, expect, onTestFinished, test } from 'vitest';
import { PROJECT, REGION, startCloudServer, TOKEN } from '../../../test/support/cloud/cloud-server.ts';
import { hello, modelInfo, play } from '../../../test/support/loopback.ts';
import { type Answer, calls, says } from '../../../test/support/model-server/script.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { createProvider } from '../index.ts';
import { findPreset } from '../presets.ts';

const info = (): ModelInfo => ({
  ...modelInfo(),
  abilities: { tools: true, images: true, thinking: true },
});
const tools = [{ name: 'Read', description: 'Reads', parameters: { type: 'object', properties: {} } }];
const image = {
  type: 'image' as const,
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** The whole request of a cloud, without its vendor's library for credentials: a gateway would add them. */
async function ask(name: string, { model, answer = says('hello') }: { model: string; answer?: Answer }) {
  const server = await startCloudServer([answer]);
  onTestFinished(() => server.close());
  const preset = findPreset(name);
  if (!preset) throw new Error(`no preset ${name}`);
  const provider = await createProvider(preset, {
    baseUrl: server.url,
    ...(name !== 'vertex' && { apiKey: TOKEN }),
    // A gateway's own header.
    ...(name === 'vertex' && { headers: { authorization: `Bearer ${TOKEN}` } }),
    infoOf: info,
    cloud: {
      region: REGION,
      project: PROJECT,
      ...(name === 'vertex' && { unsigned: true }),
      ...(name === 'azure' && { apiVersion: '2024-10-21' }),
    },
  });
  const request: CompletionRequest = {
    ...hello(),
    model,
    system: 'Be brief.',
    tools,
    effort: 'high',
    cacheKey: 'k',
  };
  request.messages[0]?.content.push(image as never);
  const { events, error } = await play(provider, request);
  expect([error, server.models.refusals]).toEqual([undefined, []]);
  return { events, seen: server.models.requests[0], path: server.paths[0], body: server.bodies[0] };
}

const rows = [
  [
    'bedrock',
    'global.anthropic.claude-sonnet-5-5',
    '/model/global.anthropic.claude-sonnet-5-5/invoke-with-response-stream',
  ],
  [
    'vertex',
    'claude-sonnet-5-5',
    `/v1/projects/${PROJECT}/locations/${REGION}/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict`,
  ],
  [
    'vertex',
    'gemini-2.5-pro',
    `/v1/projects/${PROJECT}/locations/${REGION}/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
  ],
  ['azure', 'my gpt', '/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21'],
] as const;

describe.each(rows)('[V03] %s with %s', (name, model, path) => {
  test('has its own address, and passes on tools and images', async () => {
    const asked = await ask(name, { model });
    expect(asked.path).toBe(path);
    expect(asked.seen).toMatchObject({ model, system: 'Be brief.', tools: ['Read'] });
    expect(asked.seen?.messages[0]?.images).toBe(1);
    expect(asked.events.at(-1)).toEqual({ type: 'stop', reason: 'end' });
  });

  test('calls tools', async () => {
    const { events } = await ask(name, { model, answer: calls(['Read', { file: 'a' }]) });
    expect(events.find(({ type }) => type === 'tool_call_start')).toMatchObject({ name: 'Read' });
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
  });
});

describe('[V03] Claude at a cloud', () => {
  test.each(rows.slice(0, 2))('%s: caches prompts and thinks as at its vendor', async (name, model) => {
    const thought: Answer = {
      ...says('done'),
      parts: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'done' },
      ],
    };
    const { body, events } = await ask(name, { model, answer: thought });
    expect(body).toMatchObject({
      system: [{ cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive', display: 'updates' },
      anthropic_beta: ['thinking-display-updates-2026-08-18', 'thinking-binding-controls-2026-08-01'],
      output_config: { effort: 'high' },
    });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['thinking', 'thinking_signature', 'text', 'usage', 'stop']),
    );
  });
});

test('a dated API version of Azure gets no argument that is newer than it', async () => {
  const { body } = await ask('azure', { model: 'my-gpt' });
  expect(body).not.toHaveProperty('prompt_cache_key');
});
