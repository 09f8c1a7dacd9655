import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { both, calls, says, thinks } from '../../test/support/model-server/script.ts';
import { type ScriptedModel, scripted } from '../../test/support/scripted.ts';
import { BudgetReachedError, ContextOverflowError, ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message } from '../contract/message.ts';
import type { Refusal } from '../contract/provider.ts';
import { failedAnswer, openCallsOf } from './history.ts';
import { runLoop } from './loop.ts';
import type { Run } from './run.ts';

const AT = '2026-01-01T00:00:00.000Z';
const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'go' }], timestamp: AT };

/** Answers every call with its own name. */
async function* echo(parts: Parameters<Run['act']>[0]): AsyncGenerator<AgentEvent> {
  for (const call of parts) {
    yield { type: 'message', message: { ...failedAnswer(call, `ran ${call.name}`, AT), success: true } };
  }
}

async function* nothingToGive(): AsyncGenerator<AgentEvent, boolean> {
  yield* [];
  return false;
}

function runOf(model: ScriptedModel, changes: Partial<Run> = {}): Run {
  return {
    provider: 'scripted',
    model: 'm',
    history: [prompt],
    ask: (messages, signal) => model.stream({ model: 'm', system: '', messages }, signal),
    act: echo,
    makeRoom: nothingToGive,
    costOf: () => 0.5,
    maxTurns: 200,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function eventsOf(run: Run): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of runLoop(run)) events.push(event);
  return events;
}

const kinds = (events: AgentEvent[]) => events.map((event) => event.type);

describe('[L03] the loop', () => {
  test('requests, runs calls and reports results until the model makes no more calls', async () => {
    const model = scripted(thinks('hm', both('Looking.', ['Read', { file_path: 'a' }])), says('Done.'));
    const run = runOf(model);
    const events = await eventsOf(run);

    expect(kinds(events)).toEqual([
      ...['turn_start', 'thinking', 'text', 'call_start', 'usage', 'message', 'message'],
      ...['turn_start', 'text', 'usage', 'message', 'end'],
    ]);
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'done', turns: 2 });
    expect(run.history.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 3]);
  });

  test('[Y35] [L11] stops at the turn limit with that reason; every call has its answer', async () => {
    const model = scripted(...Array.from({ length: 5 }, () => calls(['Read', {}])));
    const run = runOf(model, { maxTurns: 3 });
    expect((await eventsOf(run)).at(-1)).toEqual({ type: 'end', reason: 'max_turns', turns: 3 });
    expect(model.requests.length).toBe(3);
    expect(openCallsOf(run.history)).toEqual([]);
  });

  test('[U14] a limit that the next call could exceed ends the run cleanly and keeps the text so far', async () => {
    const reached = new BudgetReachedError('The limit is reached.', 'Raise it.');
    const run = runOf(scripted(calls(['Read', {}]), reached));
    expect((await eventsOf(run)).at(-1)).toEqual({
      type: 'end',
      reason: 'budget',
      turns: 2,
      error: { message: 'The limit is reached.', hint: 'Raise it.' },
    });
    expect(openCallsOf(run.history)).toEqual([]);
  });

  test('an interrupted answer counts towards the cost', async () => {
    const usage = { inputTokens: 9, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const run = runOf(scripted([{ type: 'usage', usage }]));
    expect(await eventsOf(run)).toContainEqual({ type: 'usage', usage, costUsd: 0.5 });
  });

  test.each<[Refusal | undefined, string, string]>([
    [undefined, 'The model declined to answer.', 'Rephrase the prompt, or use another model.'],
    [
      { category: 'cyber' },
      'The model declined to answer (cyber).',
      'Rephrase the prompt, or use another model.',
    ],
    [
      { category: 'bio', fallbackModel: 'openai/gpt-6-sol' },
      'The model declined to answer (bio).',
      'Rephrase the prompt, or use your fallback model: `--model openai/gpt-6-sol` or `/model openai/gpt-6-sol`.',
    ],
  ])('an answer that stopped by refusal does not end as done: %j', async (refusal, message, hint) => {
    const model = scripted([
      { type: 'text', text: 'I ca' },
      { type: 'stop', reason: 'refusal', ...(refusal && { refusal }) },
    ]);
    const error = { message, hint };
    expect((await eventsOf(runOf(model))).at(-1)).toEqual({
      type: 'end',
      reason: 'refusal',
      turns: 1,
      error,
    });
  });

  test('changes that the vendor made to the request are reported', async () => {
    const transformed: AgentEvent = {
      type: 'input_transformed',
      transformations: [
        { kind: 'thinking_dropped', reason: 'prefix_binding_mismatch', path: 'messages.1.content.0' },
      ],
    };
    const model = scripted([transformed, { type: 'text', text: 'ok' }, { type: 'stop', reason: 'end' }]);
    expect(await eventsOf(runOf(model))).toContainEqual(transformed);
  });

  test('[N11] a failing provider ends the run with its message; the partial text is kept', async () => {
    const run = runOf(scripted([{ type: 'text', text: 'half an ans' }]));
    const events = await eventsOf(run);
    expect(events.at(-1)).toEqual({
      type: 'end',
      reason: 'error',
      turns: 1,
      error: {
        message: 'The answer ended early.',
        kind: 'cut',
        hint: 'The answer of scripted broke off. Try again; what has arrived is kept.',
      },
    });
    expect(run.history.at(-1)).toMatchObject({
      role: 'assistant',
      stopReason: 'cut',
      content: [{ type: 'text', text: 'half an ans' }],
    });
  });

  test('[E04] [Y24] overflow shortens the view and continues in place; the user message is not added twice', async () => {
    const overflow = new ProviderError('too long', { kind: 'overflow', provider: 'scripted' });
    const model = scripted(calls(['Read', {}]), overflow, overflow, says('ok'));
    const causes: string[] = [];
    const run = runOf(model, {
      async *makeRoom(cause) {
        causes.push(cause);
        if (cause === 'overflow') yield { type: 'compacted', before: 10, after: 5, by: 'squeeze' };
        return cause === 'overflow';
      },
    });
    const events = await eventsOf(run);
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'done', turns: 2 });
    expect(causes).toEqual(['routine', 'routine', 'overflow', 'routine', 'overflow', 'routine']);
    expect(events.filter(({ type }) => type === 'compacted').length).toBe(2);
    expect(run.history.filter((message) => message.role === 'user')).toEqual([prompt]);
  });

  test.each([
    [
      'the vendor says',
      new ProviderError('prompt is too long', { kind: 'overflow', provider: 'scripted' }),
      'prompt is too long',
    ],
    ['our own count says', new ContextOverflowError(2000, 1000), 'Context overflow: 2000 > 1000'],
  ])(
    '[E02] [E04] overflow that %s, with nothing left to shorten, ends the run with an overflow error',
    async (_who, error, message) => {
      const events = await eventsOf(runOf(scripted(error)));
      expect(events.at(-1)).toMatchObject({
        type: 'end',
        reason: 'error',
        error: { kind: 'overflow', message },
      });
    },
  );

  test('[E04] an unexpected exception is not swallowed', async () => {
    await expect(eventsOf(runOf(scripted(new TypeError('bug'))))).rejects.toThrow('bug');
  });

  test('[L10] an abort at any event leaves a valid history', async () => {
    const script = () =>
      scripted(thinks('hm', both('one', ['A', {}], ['B', {}])), both('two', ['C', {}]), says('end'));
    const total = (await eventsOf(runOf(script()))).length;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: total - 1 }), async (stopAt) => {
        const abort = new AbortController();
        const run = runOf(script(), { signal: abort.signal });
        let seen = 0;
        let last: AgentEvent | undefined;
        for await (const event of runLoop(run)) {
          if (seen++ === stopAt) abort.abort(new DOMException('stop', 'AbortError'));
          last = event;
        }
        expect(openCallsOf(run.history)).toEqual([]);
        expect(last).toMatchObject({ type: 'end', reason: stopAt === total - 1 ? 'done' : 'interrupted' });
      }),
      { numRuns: 60 },
    );
  });
});
