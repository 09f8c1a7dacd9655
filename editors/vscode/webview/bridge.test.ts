import { expect, test } from 'vitest';
import type { ChatEvent } from '../../../web/chat/connection.ts';
import type { ToHost } from '../src/messages.ts';
import { Bridge } from './bridge.ts';

function bridge() {
  const sent: ToHost[] = [];
  return { sent, bridge: new Bridge((message) => sent.push(message)) };
}

test('a call is a message, and its result settles it, in whatever order results come', async () => {
  const { sent, bridge: it } = bridge();
  const files = it.connection.completeFile('src');
  const sessions = it.connection.listSessions();

  expect(sent).toEqual([
    { type: 'call', id: 1, method: 'completeFile', args: ['src'] },
    { type: 'call', id: 2, method: 'listSessions', args: [] },
  ]);
  it.receive({ type: 'result', id: 2, value: [] });
  it.receive({ type: 'result', id: 1, value: [{ path: 'src/a.ts' }] });
  expect([await files, await sessions]).toEqual([[{ path: 'src/a.ts' }], []]);
});

test('a call that fails rejects with the words of the host', async () => {
  const { bridge: it } = bridge();
  const prompt = it.connection.prompt([{ type: 'text', text: 'Hi' }]);
  it.receive({ type: 'result', id: 1, error: 'The agent is not running. Restart it.' });
  await expect(prompt).rejects.toThrow('The agent is not running. Restart it.');
});

test('events reach the chat in order, after it said that it listens; an unknown result is ignored', () => {
  const { sent, bridge: it } = bridge();
  const seen: ChatEvent[] = [];
  const stop = it.connection.onEvent((event) => seen.push(event));
  const events: ChatEvent[] = [{ type: 'turn_started' }, { type: 'turn_ended', stopReason: 'end_turn' }];

  it.receive({ type: 'events', events });
  it.receive({ type: 'result', id: 99, value: 1 });
  stop();
  it.receive({ type: 'events', events: [{ type: 'changes_changed' }] });
  expect([sent, seen]).toEqual([[{ type: 'ready' }], events]);
});
