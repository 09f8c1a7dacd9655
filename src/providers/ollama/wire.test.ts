import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hello, modelInfo } from '../../../test/support/loopback.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { contextSize, toWire } from './wire.ts';

const timestamp = '2026-01-01T00:00:00Z';

function wire(extra: Partial<CompletionRequest>, info = modelInfo()) {
  return toWire(hello(extra), { name: 'ollama', baseUrl: '', infoOf: () => info });
}

describe('[V02] a request on the wire', () => {
  test('sets the context size, and otherwise only what was requested', () => {
    expect(wire({})).toEqual({
      model: 'm',
      stream: true,
      truncate: false,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
      options: { num_ctx: 32_768 },
    });
  });

  test('carries tools and settings', () => {
    const parameters = { type: 'object', properties: {} };
    const tools = [{ name: 'files:read', description: 'Reads.', parameters }];
    expect(wire({ tools, maxTokens: 5, temperature: 0.5, stopSequences: ['END'] })).toMatchObject({
      tools: [{ type: 'function', function: { name: 'files__read', description: 'Reads.', parameters } }],
      options: { num_predict: 5, temperature: 0.5, stop: ['END'] },
    });
  });

  test('requests thinking only from models that support it, and an effort only from one family', () => {
    const info = modelInfo({ thinking: true });
    expect(wire({ effort: 'high' })).not.toHaveProperty('think');
    expect(wire({ effort: 'high' }, info)).toMatchObject({ think: true });
    expect(wire({ effort: 'high', model: 'gpt-oss:20b' }, info)).toMatchObject({ think: 'high' });
  });
});

test('[Y36] a conversation has calls as objects, and results with id and tool name', () => {
  const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Look' }, image], timestamp },
    {
      role: 'assistant',
      provider: 'ollama',
      model: 'm',
      stopReason: 'tool_calls',
      timestamp,
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'tool_call', id: 'a', name: 'files:read', input: { x: 1 } },
      ],
    },
    { role: 'tool', callId: 'a', name: 'files:read', success: true, content: [], timestamp },
  ];
  const call = {
    role: 'assistant',
    content: '',
    thinking: 'hm',
    tool_calls: [{ id: 'a', function: { name: 'files__read', arguments: { x: 1 } } }],
  };
  const result = { role: 'tool', content: '(no output)', tool_name: 'files__read', tool_call_id: 'a' };

  expect(wire({ system: '', messages }).messages).toEqual([
    { role: 'user', content: 'Look', images: ['AAAA'] },
    call,
    result,
  ]);
  expect(wire({ system: '', messages }, modelInfo({ images: false })).messages).toEqual([
    { role: 'user', content: 'Look\n[Image omitted: this model does not support images.]' },
    call,
    result,
  ]);
});

describe('[N06] the context size', () => {
  test('grows with the conversation, up to the model’s window', () => {
    expect(contextSize(131_072, 1000)).toBe(32_768);
    expect(contextSize(131_072, 40_000)).toBe(65_536);
    expect(contextSize(100_000, 90_000)).toBe(100_000);
    expect(contextSize(8192, 50_000)).toBe(8192);
  });

  test('always fits the request if the window does, and never shrinks', () => {
    const windows = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(windows, fc.array(fc.nat(3_000_000), { minLength: 1 }), (window, needs) => {
        let last: number | undefined;
        for (const needed of needs) {
          const size = contextSize(window, needed, last);
          expect(size).toBeLessThanOrEqual(window);
          expect(size >= needed || size === window).toBe(true);
          expect(size).toBeGreaterThanOrEqual(last ?? 0);
          last = size;
        }
      }),
    );
  });
});
