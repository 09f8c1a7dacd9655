import { expect, test } from 'vitest';
import type { AgentEvent } from '../contract/event.ts';
import type { SessionLog } from './session-log.ts';
import { forwardingLog, SubagentTotals } from './subagent.ts';

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
const spent = (costUsd: number | null): AgentEvent => ({ type: 'usage', usage, costUsd });
const ended: AgentEvent = { type: 'tool_end', callId: '1', name: 'Read', success: true, durationMs: 1 };
const says = (text: string): AgentEvent => ({
  type: 'message',
  message: {
    role: 'assistant',
    content: [{ type: 'text', text }],
    provider: 'a',
    model: 'b',
    stopReason: 'end',
    timestamp: '',
  },
});
const below = (event: AgentEvent): AgentEvent => ({ type: 'subagent', callId: '9', agent: 'x', event });

test('cost and changes of nested subagents are counted, their text and turns are not', () => {
  const tally = new SubagentTotals();
  const events = [{ type: 'turn_start', turn: 1 } as const, spent(0.5), ended, says('mine')];
  for (const event of [...events, ...events.map(below), below(below(spent(1)))]) tally.take(event);
  tally.take(below(says('theirs')));
  expect({ ...tally }).toEqual({ text: 'mine', turns: 1, calls: 2, tokens: 30, costUsd: 2 });
  tally.take(spent(null));
  tally.take(spent(1));
  expect(tally.costUsd).toBe(null);
});

test('the parent is notified after an event is saved and before the subagent continues; an ended parent does not block it', async () => {
  const order: string[] = [];
  const log = { watch: async () => void order.push('written') } as unknown as SessionLog;
  const leaving = new AbortController();
  let taken: () => void = () => undefined;
  const telling = forwardingLog(
    log,
    () => {
      order.push('told');
      return new Promise((resolve) => (taken = resolve));
    },
    leaving.signal,
  );
  const watched = telling.watch(ended).then(() => order.push('went on'));
  await new Promise(setImmediate);
  expect(order).toEqual(['written', 'told']);
  taken();
  await watched;
  expect(order).toEqual(['written', 'told', 'went on']);

  const unheard = telling.watch(ended);
  await new Promise(setImmediate);
  leaving.abort();
  await unheard;
  await telling.watch(ended);
  expect(order.filter((word) => word === 'told').length).toBe(2);
});
