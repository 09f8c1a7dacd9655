import { describe, expect, test } from 'vitest';
import { fails, hello, jsonLines, loopback, modelInfo, play, sse } from '../../test/support/loopback.ts';
import { UserError } from '../contract/errors.ts';
import { createProvider } from './index.ts';
import { findPreset, type Preset } from './presets.ts';
import { withRetry } from './wrappers/retry.ts';

const infoOf = () => modelInfo();

function preset(name: string): Preset {
  const found = findPreset(name);
  if (!found) throw new Error(`no preset ${name}`);
  return found;
}

const chatFrames = [
  { choices: [{ delta: { content: 'hey' } }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
  '[DONE]',
];

describe('[V05][V10] a preset becomes a provider', () => {
  test.each([
    ['deepseek', '/chat/completions'],
    ['openai', '/responses'],
    ['ollama', '/api/chat'],
  ])('%s uses its protocol and its name', async (name, path) => {
    const server = await loopback((response, request) => {
      if (request.path === '/api/chat')
        jsonLines(response, [{ message: { role: 'assistant', content: 'hey' }, done: true }]);
      else if (request.path === '/responses')
        sse(response, [
          { type: 'response.output_text.delta', output_index: 0, delta: 'hey' },
          { type: 'response.completed', response: {} },
        ]);
      else sse(response, chatFrames);
    });
    const provider = await createProvider(preset(name), { baseUrl: server.url, apiKey: 'k', infoOf });

    const { events, error } = await play(provider, hello());

    expect(provider.name).toBe(name);
    expect(error).toBeUndefined();
    expect(events[0]).toEqual({ type: 'text', text: 'hey' });
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'end' });
    expect(server.requests[0]?.path).toBe(path);
  });

  test('the vendor’s quirks affect the request', async () => {
    const server = await loopback((response) => sse(response, chatFrames));
    const provider = await createProvider(preset('mistral'), { baseUrl: server.url, apiKey: 'k', infoOf });
    await play(provider, hello());
    expect(server.requests[0]?.body).not.toHaveProperty('stream_options');
  });

  test('[V06] transient errors are retried after the delay that the vendor requests', async () => {
    let asked = 0;
    const server = await loopback((response) => {
      if (asked++ === 0)
        fails(response, 429, { body: { error: 'slow' }, headers: { 'retry-after-ms': '1' } });
      else sse(response, chatFrames);
    });
    const provider = await createProvider(preset('groq'), { baseUrl: server.url, apiKey: 'k', infoOf });

    const { events } = await play(withRetry(provider), hello());

    expect(events).toEqual([
      { type: 'retry', kind: 'rate_limit', message: 'slow', attempt: 1, delayMs: expect.any(Number) },
      { type: 'text', text: 'hey' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('tools can be sent as text', async () => {
    const server = await loopback((response) => sse(response, chatFrames));
    const provider = await createProvider(preset('local'), { baseUrl: server.url, infoOf, toolMode: 'xml' });
    await play(provider, hello({ tools: [{ name: 'Read', description: 'Reads.', parameters: {} }] }));
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('Reads.');
  });

  test('a server whose address only the user knows requires one', async () => {
    await expect(createProvider(preset('local'), { infoOf })).rejects.toEqual(
      new UserError('No base URL for local.', 'Set LOCAL_BASE_URL, for example to http://127.0.0.1:8080/v1.'),
    );
  });
});
