import { expect, test } from 'vitest';
import type { Message } from '../contract/message.ts';
import { breakdown } from './breakdown.ts';

const at = '2026-01-01T00:00:00.000Z';
const said = (text: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: at,
});

/** Like estimates: every text costs something, even an empty one. */
const count = { text: (text: string) => text.length + 1, message: () => 7 };

test('each part is counted once, absent parts take nothing, and the biggest items are named in one line', () => {
  const sent = { system: 'be kind', instructions: '', tools: '[]', memory: '', summary: '', kept: '' };
  expect(breakdown({ ...sent, messages: [said('two\nlines')] }, count)).toEqual({
    parts: [
      { name: 'system prompt', tokens: 8 },
      { name: 'instructions', tokens: 0 },
      { name: 'tools', tokens: 3 },
      { name: 'memory', tokens: 0 },
      { name: 'summary', tokens: 0 },
      { name: 'pins, tasks, files', tokens: 0 },
      { name: 'messages', tokens: 7 },
      { name: 'tool results', tokens: 0 },
    ],
    biggest: [{ name: 'prompt: two lines', tokens: 7 }],
  });
});
