import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../../web/chat/connection.ts';
import { nextStatus, noStatus, type Status, statusText } from './status.ts';

const asked: ChatEvent = {
  type: 'permission_asked',
  request: { requestId: 'q', toolCall: { toolCallId: 'c', title: 'Edit a.ts' }, options: [] },
};
const began: ChatEvent[] = [
  { type: 'session', session: { id: 's', cwd: '/work' } },
  { type: 'turn_started' },
];

function after(...events: ChatEvent[]): Status {
  return events.reduce(nextStatus, noStatus);
}

test.each<[string, ChatEvent[], string, boolean]>([
  ['at the start', [], '$(comment-discussion) aca', false],
  [
    'while it connects',
    [{ type: 'connection', state: 'connecting' }],
    '$(loading~spin) aca: starting',
    false,
  ],
  ['during a turn', began, '$(loading~spin) aca: working', false],
  ['with a question', [...began, asked], '$(bell-dot) aca: waiting for you', true],
  [
    'after the answer',
    [...began, asked, { type: 'permission_settled', requestId: 'q', optionId: 'once' }],
    '$(loading~spin) aca: working',
    false,
  ],
  [
    'after the turn',
    [...began, asked, { type: 'turn_ended', stopReason: 'cancelled' }],
    '$(comment-discussion) aca',
    false,
  ],
])('%s', (_, events, text, isUrgent) => {
  expect(statusText(after(...events))).toMatchObject({ text, isUrgent });
});

test('the tooltip has the title and the cost', () => {
  const status = after(
    ...began,
    { type: 'update', update: { sessionUpdate: 'session_info_update', title: 'Fix the bug' } },
    {
      type: 'update',
      update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.0123, currency: 'USD' } },
    },
  );
  expect(statusText(status).tooltip).toBe('aca: working\nFix the bug\nCost of this session: $0.012');
});

test('a program that is not found is urgent', () => {
  expect(statusText({ ...noStatus, problem: { type: 'not-found', setting: '' } })).toMatchObject({
    text: '$(warning) aca: not found',
    isUrgent: true,
  });
});
