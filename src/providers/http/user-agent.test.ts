import { expect, test } from 'vitest';
import { createProvider } from '../index.ts';
import { presets } from '../presets.ts';

test.each(['anthropic', 'openai', 'openai-chat', 'google', 'ollama'])(
  'requests to %s send a user agent',
  async (name) => {
    const preset = presets.find((row) => row.name === name);
    if (!preset) throw new Error(`no preset ${name}`);
    const agents: (string | undefined)[] = [];
    const provider = await createProvider(preset, {
      apiKey: 'sk-test',
      baseUrl: preset.baseUrl || 'http://127.0.0.1:1',
      infoOf: (await import('../models/models.ts')).infoOf.bind(null, name) as never,
      http: async ({ headers = {} }) => {
        agents.push(headers['user-agent']);
        throw new Error('far enough');
      },
    });
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }], timestamp: '' },
    ];
    const stream = provider.stream({ model: 'm', system: '', messages }, new AbortController().signal);
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow();
    expect(agents[0]).toMatch(/^ai-code-assistant\/\S+ \(\w+; \w+\)$/);
  },
);
