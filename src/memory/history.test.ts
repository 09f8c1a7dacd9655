import { expect, test } from 'vitest';
import type { Message } from '../contract/message.ts';
import { habitsIn } from './habits.ts';
import { lineFor, passagesOf } from './history.ts';

const timestamp = '2026-11-16T10:00:00.000Z';

test('a conversation becomes passages of a few lines; tool results and injected notes do not', () => {
  const long = 'x'.repeat(900);
  const messages: Message[] = [
    {
      role: 'user',
      content: [{ type: 'text', text: `One.\n\nTwo.\n\n<memory>\nold\n</memory>` }],
      timestamp,
    },
    {
      role: 'tool',
      callId: 'a',
      name: 'Read',
      success: true,
      content: [{ type: 'text', text: 'file' }],
      timestamp,
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: long }],
      provider: 'p',
      model: 'm',
      stopReason: 'end',
      timestamp,
    },
  ];
  const where = { session: '9d923fc9', date: '2026-11-16' };
  expect(passagesOf(messages, '9d923fc9')).toEqual([
    { ...where, role: 'user', text: 'One.\nTwo.' },
    { ...where, role: 'assistant', text: 'x'.repeat(700) },
    { ...where, role: 'assistant', text: 'x'.repeat(200) },
  ]);
});

test('the best matching line of a passage is shown', () => {
  const text = 'First we looked around.\nThe flaky test was the clock.\nThen we left.';
  expect(lineFor('why was the test flaky', { text })).toBe('The flaky test was the clock.');
});

test('[U06] three approvals are a habit, two are not', () => {
  const yes = (rule: string, ...days: string[]) => days.map((at) => ({ rule, at }));
  expect(
    habitsIn([
      ...yes('Bash(npm test)', '2026-01-03', '2026-01-01', '2026-01-02'),
      ...yes('Bash(make)', '2026-01-01', '2026-01-02'),
      ...yes('Bash(ls -R)', '2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'),
    ]),
  ).toEqual([
    { rule: 'Bash(ls -R)', times: 4, last: '2026-01-04' },
    { rule: 'Bash(npm test)', times: 3, last: '2026-01-03' },
  ]);
});
