import { describe, expect, test } from 'vitest';
import type { ToolMessage } from '../contract/message.ts';
import { toWire as toAnthropic } from './anthropic/wire.ts';
import { toWire as toGoogle } from './google/wire.ts';
import { infoOf } from './models/models.ts';
import { toWire as toOllama } from './ollama/wire.ts';
import { toWire as toChat } from './openai/chat-wire.ts';
import { toWire as toResponses } from './openai/responses-wire.ts';

const options = { name: 'v', baseUrl: '', quirks: {}, infoOf: () => infoOf('openai', 'gpt-4-turbo') };
const wires: Record<string, (request: Parameters<typeof toChat>[0]) => unknown> = {
  anthropic: (request) => toAnthropic(request, options),
  google: (request) => toGoogle(request, options),
  ollama: (request) => toOllama(request, options),
  'openai-chat': (request) => toChat(request, options),
  'openai-responses': (request) => toResponses(request, options),
};

function sent(protocol: string, text: string, success: boolean): string {
  const answer: ToolMessage = {
    ...{ role: 'tool', callId: 'c1', name: 'Read', success, timestamp: '' },
    content: text === '' ? [] : [{ type: 'text', text }],
  };
  const messages = [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }], timestamp: '' },
    {
      ...{ role: 'assistant' as const, provider: 'v', model: 'm', stopReason: 'tool_calls' as const },
      content: [{ type: 'tool_call' as const, id: 'c1', name: 'Read', input: {} }],
      timestamp: '',
    },
    answer,
  ];
  return JSON.stringify(wires[protocol]?.({ model: 'm', system: '', messages }));
}

/** How each protocol marks a failed call. */
const marks: Record<string, (text: string) => string> = {
  anthropic: (text) => `"content":[{"type":"text","text":"${text}"}],"is_error":true`,
  google: (text) => `"response":{"error":"${text}"}`,
  ollama: (text) => `"content":"Error: ${text}"`,
  'openai-chat': (text) => `"content":"Error: ${text}"`,
  'openai-responses': (text) => `"output":"Error: ${text}"`,
};

describe.each(Object.keys(wires))('over %s', (protocol) => {
  test('a failed call is marked, and a successful one is not', () => {
    const mark = marks[protocol]?.('no such file') ?? '';
    expect(sent(protocol, 'no such file', false)).toContain(mark);
    expect(sent(protocol, 'no such file', true)).not.toContain(mark);
  });

  test('a failure without a message still says that it failed', () => {
    expect(sent(protocol, '', false)).toMatch(/the call failed without a message\./i);
  });

  test('a result that is already marked is not marked twice', () => {
    expect(sent(protocol, 'Error: disk full', false)).not.toContain('Error: Error');
  });
});
