import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.ts';
import { topicOf } from './topic.ts';

const prompt = (...texts: string[]): Message => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
  timestamp: '2026-01-01T00:00:00.000Z',
});

test.each<[string, Parameters<typeof topicOf>[0], string]>([
  ['a new session', { messages: [] }, ''],
  ['the first line of the first prompt', { messages: [prompt('  fix it\nnow'), prompt('more')] }, 'fix it'],
  ['what was typed, not what was added', { messages: [prompt('[the date is new]', 'fix it')] }, 'fix it'],
  [
    'not attached files, nor notes of hooks and memory',
    {
      messages: [
        prompt('<file path="a">\nx\n</file>\n\n', 'fix @a', '\n\n[From a hook:]\nx', '\n\n<memory>\nx'),
      ],
    },
    'fix @a',
  ],
  ['its title', { title: 'Login bug', messages: [prompt('fix it')] }, 'Login bug'],
  ['cut between characters', { messages: [prompt('👍'.repeat(70))] }, `${'👍'.repeat(59)}…`],
])('%s', (_, session, topic) => {
  expect(topicOf(session)).toBe(topic);
});
