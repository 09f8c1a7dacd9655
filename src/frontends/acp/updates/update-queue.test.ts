import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpdateQueue } from './update-queue.ts';

const id = fc.constantFrom('a', 'b');
const update: fc.Arbitrary<SessionUpdate> = fc.oneof(
  fc.record({
    sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk'),
    messageId: id,
    content: fc.record({ type: fc.constant('text' as const), text: fc.string({ maxLength: 3 }) }),
  }),
  id.map((toolCallId) => ({ sessionUpdate: 'tool_call' as const, toolCallId, title: toolCallId })),
  fc.record({
    sessionUpdate: fc.constant('tool_call_update' as const),
    toolCallId: id,
    status: fc.constantFrom('in_progress', 'completed'),
    _meta: fc.record({
      terminal_output: fc.record({ terminal_id: id, data: fc.string({ maxLength: 3 }) }),
    }),
  }),
  fc.record({ sessionUpdate: fc.constant('usage_update' as const), used: fc.nat(), size: fc.nat() }),
);

/** What a client shows: texts in order, and the last state of everything else. */
function shown(updates: readonly SessionUpdate[]) {
  const texts: string[] = [];
  const states = new Map<string, unknown>();
  let last = '';
  for (const one of updates) {
    if (one.sessionUpdate === 'agent_message_chunk' || one.sessionUpdate === 'agent_thought_chunk') {
      const text = one.content.type === 'text' ? one.content.text : '';
      const key = `${one.sessionUpdate} ${one.messageId}:`;
      if (last === key) texts[texts.length - 1] += text;
      else texts.push(key + text);
      last = key;
    } else if (one.sessionUpdate === 'tool_call') {
      last = `call ${one.toolCallId}`;
      texts.push(last);
    } else if (one.sessionUpdate === 'tool_call_update') {
      const printed = (one._meta?.terminal_output as { data: string } | undefined)?.data ?? '';
      states.set(one.toolCallId, one.status);
      states.set(`${one.toolCallId} printed`, `${states.get(`${one.toolCallId} printed`) ?? ''}${printed}`);
    } else states.set(one.sessionUpdate, one);
  }
  return { texts, states };
}

/** A client that reads nothing until `read` is called. */
function stalled() {
  const sent: SessionUpdate[] = [];
  const written: (() => void)[] = [];
  const queue = new UpdateQueue((one) => {
    sent.push(one);
    return new Promise((resolve) => written.push(resolve));
  });
  const readAll = async () => {
    for (const done = queue.passedOn(); written.length > 0; ) {
      for (const resolve of written.splice(0)) resolve();
      await Promise.race([done, new Promise((resolve) => setImmediate(resolve))]);
    }
  };
  return { queue, sent, readAll };
}

test('property: a client sees the same, however slowly it reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(update, { maxLength: 150, size: 'max' }), async (updates) => {
      const { queue, sent, readAll } = stalled();
      for (const one of updates) queue.add(one);
      await readAll();
      expect(shown(sent)).toEqual(shown(updates));
    }),
  );
});

test('for a client that does not read, updates are merged and not piled up', async () => {
  const { queue, sent, readAll } = stalled();
  for (let i = 0; i < 10_000; i++) {
    queue.add({ sessionUpdate: 'agent_message_chunk', messageId: 'a', content: { type: 'text', text: 'x' } });
    if (i === 20) queue.add({ sessionUpdate: 'tool_call', toolCallId: 'b', title: 'b' });
  }
  let isThrough = false;
  void queue.passedOn().then(() => {
    isThrough = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isThrough).toBe(false);
  await readAll();
  expect(sent.length).toBeLessThan(40);
  expect(isThrough).toBe(true);
});
