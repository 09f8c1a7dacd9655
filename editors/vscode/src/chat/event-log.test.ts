import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../../web/chat/connection.ts';
import { EventLog } from './event-log.ts';

const session: ChatEvent = { type: 'session', session: { id: 's', cwd: '/work' } };

function says(
  text: string,
  messageId = 'm1',
  kind: 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk',
): ChatEvent {
  return { type: 'update', update: { sessionUpdate: kind, messageId, content: { type: 'text', text } } };
}

function call(toolCallId: string, more: object): ChatEvent {
  return { type: 'update', update: { sessionUpdate: 'tool_call_update', toolCallId, ...more } };
}

function logged(...events: ChatEvent[]): ChatEvent[] {
  const log = new EventLog();
  for (const event of events) log.add(event);
  return log.all();
}

test('text of one message is joined; other messages and thoughts stay apart', () => {
  expect(
    logged(session, says('Hel'), says('lo'), says('!', 'm2'), says('hm', 'm2', 'agent_thought_chunk')),
  ).toEqual([session, says('Hello'), says('!', 'm2'), says('hm', 'm2', 'agent_thought_chunk')]);
});

test('of the progress of a call the last is kept', () => {
  expect(
    logged(call('1', { title: 'Run' }), call('1', { status: 'completed' }), call('2', { title: 'Read' })),
  ).toEqual([call('1', { title: 'Run', status: 'completed' }), call('2', { title: 'Read' })]);
});

test('another session starts over; the connection is told first, and once', () => {
  const next: ChatEvent = { type: 'session', session: { id: 't', cwd: '/work' } };
  expect(
    logged(
      { type: 'connection', state: 'connecting' },
      session,
      says('old'),
      { type: 'connection', state: 'online' },
      next,
      { type: 'compose', text: 'x' },
      { type: 'changes_changed' },
    ),
  ).toEqual([{ type: 'connection', state: 'online' }, next]);
});

test('a thousand pieces of text a second do not make the log longer', () => {
  const pieces = Array.from({ length: 10_000 }, () => says('x'));
  expect(logged(session, ...pieces)).toEqual([session, says('x'.repeat(10_000))]);
});
