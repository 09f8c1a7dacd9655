import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { lastExchange } from './last-exchange.ts';

const at = '2026-03-01T12:00:00.000Z';
const later = Date.parse('2026-03-01T15:00:00.000Z');

function sessionOf(messages: Message[], more: Partial<Session> = {}): Session {
  const settings = { model: 'a/b' };
  return {
    id: '12345678-abcd',
    workingDirectory: '/p',
    startedAt: at,
    messages,
    permissions: [],
    settings,
    ...more,
  };
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp: at });

const assistant = (
  content: Extract<Message, { role: 'assistant' }>['content'],
  stopReason: 'end' | 'cut' | 'tool_calls' = 'end',
): Message => ({ role: 'assistant', content, provider: 'a', model: 'b', stopReason, timestamp: at });

test('the last prompt, its calls, failures and answer; earlier messages are left out', () => {
  const session = sessionOf([
    user('long ago'),
    assistant([{ type: 'text', text: 'Old.' }]),
    user('fix it'),
    assistant(
      [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_call', id: '1', name: 'Bash', input: { command: 'npm test\necho done' } },
        { type: 'tool_call', id: '2', name: 'Todo', input: {} },
      ],
      'tool_calls',
    ),
    {
      role: 'tool',
      callId: '1',
      name: 'Bash',
      success: false,
      content: [{ type: 'text', text: 'exit 1' }],
      timestamp: at,
    },
    {
      role: 'tool',
      callId: '2',
      name: 'Todo',
      success: true,
      content: [{ type: 'text', text: 'ok' }],
      timestamp: at,
    },
    assistant([{ type: 'text', text: 'It is\nhalf do' }], 'cut'),
  ]);
  expect(lastExchange(session, later)).toBe(
    [
      'Session 12345678, 3 hours ago:',
      '> fix it',
      'Looking.',
      '→ Bash npm test ⏎ echo done',
      '→ Todo',
      '  ✗ exit 1',
      'It is',
      'half do',
      '(The answer was cut off here.)',
    ].join('\n'),
  );
});

test('a long answer shows its end, control characters are removed, and a title and a copy are mentioned', () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join('\n');
  const session = sessionOf([user('go'), assistant([{ type: 'text', text: `${text}\x1b[2J` }])], {
    title: 'Login',
    parent: { id: 'ffff0000-1', messages: 1 },
  });
  const lines = lastExchange(session, later).split('\n');
  expect(lines[0]).toBe('Session 12345678 "Login", forked from ffff0000, 3 hours ago:');
  expect(lines[1]).toBe('…');
  expect(lines.at(-1)).toBe('line 99\uFFFD[2J');
  expect(lines.length).toBe(42);
});

test('an empty conversation shows nothing', () => {
  expect(lastExchange(sessionOf([]), later)).toBe('');
});
