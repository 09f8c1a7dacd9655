import { expect, test } from 'vitest';
import { says } from '../../test/support/model-server/script.ts';
import { scripted } from '../../test/support/scripted.ts';
import type { AgentEvent } from '../contract/event.ts';
import { type Message, textOf } from '../contract/message.ts';
import { type RemainingWork, runUntilDone } from './run-until-done.ts';

async function play({
  replies,
  remainingWork,
  maxTurns = 50,
}: {
  replies: number;
  remainingWork?: RemainingWork;
  maxTurns?: number;
}) {
  const model = scripted(...Array.from({ length: replies }, (_, i) => says(`reply ${i + 1}`)));
  const history: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'go' }], timestamp: '' }];
  const events: AgentEvent[] = [];
  const run = {
    provider: 'scripted',
    model: 'm',
    history,
    ask: (messages: readonly Message[], signal: AbortSignal) =>
      model.stream({ model: 'm', system: '', messages }, signal),
    async *act() {
      yield* [];
    },
    async *makeRoom() {
      yield* [];
      return false;
    },
    costOf: () => null,
    maxTurns,
    signal: new AbortController().signal,
  };
  for await (const event of runUntilDone(run, remainingWork)) events.push(event);
  return {
    said: history.map((message) => `${message.role}: ${textOf(message)}`),
    turns: events.flatMap((event) => (event.type === 'turn_start' ? [event.turn] : [])),
    ends: events.filter(({ type }) => type === 'end'),
    told: events.flatMap((event) => (event.type === 'message' ? [event.message] : [])).length,
  };
}

test('without objections the run ends normally', async () => {
  const { said, turns, ends } = await play({ replies: 1 });
  expect({ said, turns }).toEqual({ said: ['user: go', 'assistant: reply 1'], turns: [1] });
  expect(ends).toEqual([{ type: 'end', reason: 'done', turns: 1 }]);
});

test('an objection is sent to the model; turns keep counting, and there is one end', async () => {
  const heard: number[] = [];
  const { said, turns, ends, told } = await play({
    replies: 3,
    remainingWork: async (again) => {
      heard.push(again);
      return again < 2 ? `more ${again}` : null;
    },
  });
  expect(heard).toEqual([0, 1, 2]);
  expect(said).toEqual([
    'user: go',
    'assistant: reply 1',
    'user: more 0',
    'assistant: reply 2',
    'user: more 1',
    'assistant: reply 3',
  ]);
  expect({ turns, told }).toEqual({ turns: [1, 2, 3], told: 5 });
  expect(ends).toEqual([{ type: 'end', reason: 'done', turns: 3 }]);
});

test('it ends after ten objections, or earlier at the turn limit', async () => {
  expect((await play({ replies: 20, remainingWork: async () => 'more' })).ends).toEqual([
    { type: 'end', reason: 'done', turns: 11 },
  ]);
  expect((await play({ replies: 20, remainingWork: async () => 'more', maxTurns: 4 })).turns).toEqual([
    1, 2, 3, 4,
  ]);
});
