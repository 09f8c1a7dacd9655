import { describe, expect, test } from 'vitest';
import { calls, says } from '../../test/support/model-server/script.ts';
import { type ScriptedModel, scripted } from '../../test/support/scripted.ts';
import { unfoldBreaks } from '../context/breaks.ts';
import { BudgetReachedError, ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import { type Message, type StopReason, textOf, toolCallsOf } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';
import { failedAnswer } from './history.ts';
import { runLoop } from './loop.ts';
import type { Run } from './run.ts';

const AT = '2026-01-01T00:00:00.000Z';
const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'go' }], timestamp: AT };

async function play(model: ScriptedModel) {
  const ran: string[] = [];
  const run: Run = {
    provider: 'scripted',
    model: 'm',
    history: [prompt],
    ask: (messages, signal) =>
      model.stream({ model: 'm', system: '', messages: unfoldBreaks(messages) }, signal),
    continueAfter: (error) => (error instanceof ProviderError && error.kind === 'cut' ? 0 : undefined),
    async *act(parts) {
      for (const call of parts) {
        if (!call.cut) ran.push(call.id);
        yield { type: 'message', message: failedAnswer(call, 'done', AT) };
      }
    },
    async *makeRoom() {
      yield* [];
      return false;
    },
    costOf: () => 1,
    maxTurns: 20,
    signal: new AbortController().signal,
  };
  const events: AgentEvent[] = [];
  for await (const event of runLoop(run)) events.push(event);
  return { events, end: events.at(-1), run, ran, requests: model.requests };
}

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
const stopping = (reason: StopReason, ...events: ProviderEvent[]): ProviderEvent[] => [
  ...events,
  { type: 'usage', usage },
  { type: 'stop', reason },
];
const cutText = (text: string) => stopping('max_tokens', { type: 'text', text });
const call = (id: string, json: string): ProviderEvent[] => [
  { type: 'tool_call_start', key: id, id, name: 'Write' },
  { type: 'tool_call_delta', key: id, json },
];
const lastText = (messages: readonly Message[] | undefined) => {
  const last = messages?.at(-1);
  return last ? textOf(last) : '';
};
const plain = ({ role, content }: Message) => ({ role, content });
const down = new ProviderError('down', { kind: 'bad_request', provider: 'scripted' });

describe('text truncated by the output limit', () => {
  test('is continued, and is one answer in the history', async () => {
    const { end, run, requests, events } = await play(
      scripted(cutText('one, '), cutText('two, '), says('three.')),
    );
    expect(end).toEqual({ type: 'end', reason: 'done', turns: 1 });
    expect(run.history.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', 'go'],
      ['assistant', 'one, two, three.'],
    ]);
    expect(requests.map(({ messages }) => messages.map((message) => message.role))).toEqual([
      ['user'],
      ['user', 'assistant', 'user'],
      ['user', 'assistant', 'user', 'assistant', 'user'],
    ]);
    expect(requests[2]?.messages.slice(0, 3).map(plain)).toEqual(requests[1]?.messages.map(plain));
    expect(unfoldBreaks(run.history).slice(0, 5).map(plain)).toEqual(requests[2]?.messages.map(plain));
    expect(lastText(requests[1]?.messages)).toMatch(/^\[Your answer reached the output limit\./);
    // Every request reports its usage.
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'notice')).toHaveLength(2);
  });

  test('is continued at most three times', async () => {
    const { end, run, requests } = await play(
      scripted(...Array.from({ length: 9 }, (_, i) => cutText(`${i} `))),
    );
    expect(end).toEqual({ type: 'end', reason: 'max_tokens', turns: 1 });
    expect(requests).toHaveLength(4);
    expect(run.history.at(-1)).toMatchObject({ stopReason: 'max_tokens' });
    expect(lastText(run.history)).toBe('0 1 2 3 ');
  });

  test('is kept when the rest is unavailable', async () => {
    const { end, run, requests } = await play(scripted(cutText('half'), down));
    expect(end).toEqual({ type: 'end', reason: 'max_tokens', turns: 1 });
    expect(requests).toHaveLength(2);
    expect(lastText(run.history)).toBe('half');
  });

  test('is kept when a user limit does not allow requesting the rest', async () => {
    const { end, run } = await play(
      scripted(cutText('half'), new BudgetReachedError('Reached.', 'Raise it.')),
    );
    expect(end).toMatchObject({ type: 'end', reason: 'budget' });
    expect(lastText(run.history)).toBe('half');
  });

  test('may be followed by calls', async () => {
    const { ran, run } = await play(
      scripted(
        cutText('Now I '),
        stopping('tool_calls', { type: 'text', text: 'write.' }, ...call('a', '{}')),
        says('ok'),
      ),
    );
    expect(ran).toEqual(['a']);
    expect(run.history.map((message) => textOf(message))).toEqual(['go', 'Now I write.', 'done', 'ok']);
  });

  test('stays text, even if the continuation contains a closing think tag', async () => {
    const { run } = await play(
      scripted(
        cutText('said. '),
        stopping(
          'end',
          { type: 'text', text: 'hm' },
          { type: 'reclassify', as: 'thinking' },
          { type: 'text', text: 'more' },
        ),
      ),
    );
    expect(lastText(run.history)).toBe('said. more');
  });
});

describe('a reply that the connection cut off', () => {
  /** A stream that ends without a stop was cut. */
  const cutAfter = (...events: ProviderEvent[]) => events;

  test('is continued, and what was sent for that stays part of the conversation', async () => {
    const { end, run, requests, events } = await play(
      scripted(
        cutAfter(
          { type: 'thinking', text: 'hm' },
          { type: 'thinking_signature', signature: 's1' },
          { type: 'text', text: 'one, ' },
          { type: 'tool_call_start', key: '0', name: 'Read' },
        ),
        cutAfter({ type: 'text', text: 'two, ' }),
        says('three.'),
      ),
    );
    expect(end).toMatchObject({ reason: 'done', turns: 1 });
    expect(run.history.map((message) => textOf(message))).toEqual(['go', 'one, two, three.']);
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2);
    expect(requests[1]?.messages[1]?.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(lastText(requests[1]?.messages)).toMatch(/^\[The connection broke/);
    expect(requests[2]?.messages.slice(0, 3).map(plain)).toEqual(requests[1]?.messages.map(plain));
    expect(unfoldBreaks(run.history).slice(0, 5).map(plain)).toEqual(requests[2]?.messages.map(plain));
  });

  test('is kept, without a prompt that nothing followed, when the rest never comes', async () => {
    const { end, run } = await play(scripted(cutAfter({ type: 'text', text: 'half' }), down));
    expect(end).toMatchObject({ reason: 'error', error: { message: 'down' } });
    expect(run.history.at(-1)?.content).toEqual([{ type: 'text', text: 'half' }]);
  });
});

describe('a call truncated by the output limit', () => {
  test.each([
    ['with JSON that ends too early', '{"file_path":"a","content":"ha'],
    ['without a word of JSON', ''],
    ['with JSON that is whole', '{"file_path":"a","content":"half"}'],
  ])('%s does not run, and the error names the limit', async (_name, json) => {
    const { ran, run, events, end } = await play(
      scripted(stopping('max_tokens', { type: 'text', text: 'Writing.' }, ...call('a', json)), says('ok')),
    );
    expect(ran).toEqual([]);
    const [, reply] = run.history;
    expect(reply?.role === 'assistant' && toolCallsOf(reply)).toMatchObject([{ id: 'a', cut: true }]);
    expect(events).toContainEqual({
      type: 'notice',
      level: 'warn',
      text: expect.stringContaining('hit the output limit in the middle of a tool call'),
    });
    expect(end).toMatchObject({ reason: 'done' });
  });

  test('the calls before it are complete and run', async () => {
    const { ran } = await play(
      scripted(
        stopping('max_tokens', ...call('a', '{"file_path":"a"}'), ...call('b', '{"file_path":"b"}')),
        says('ok'),
      ),
    );
    expect(ran).toEqual(['a']);
  });

  test('a malformed call among them does not run', async () => {
    const { ran } = await play(
      scripted(
        stopping('max_tokens', ...call('a', '{"file_'), ...call('b', '{}'), ...call('c', '{}')),
        says('ok'),
      ),
    );
    expect(ran).toEqual(['b']);
  });

  test('in any other reply, a complete call is complete', async () => {
    expect((await play(scripted(calls(['Write', {}, { id: 'a' }]), says('ok')))).ran).toEqual(['a']);
  });
});

describe('an empty answer', () => {
  const nothing = stopping('end');
  const thought = stopping('end', { type: 'thinking', text: 'hm' });
  const blank = stopping('end', { type: 'text', text: ' \n' });
  const noCall = stopping('tool_calls');

  test.each([
    ['empty', nothing],
    ['only thought', thought],
    ['blank', blank],
    ['a call that never came', noCall],
  ])('%s: is requested once more', async (_name, silent) => {
    const { end, run, requests } = await play(scripted(silent, says('here')));
    expect(end).toEqual({ type: 'end', reason: 'done', turns: 1 });
    expect(run.history.map(textOf)).toEqual(['go', 'here']);
    expect(run.history[1]?.content).toMatchObject([{ type: 'text', text: 'here' }]);
    expect(unfoldBreaks(run.history).slice(0, 1).map(plain)).toEqual(requests[1]?.messages.map(plain));
    // Some models refuse two prompts in a row.
    expect(requests[1]?.messages).toHaveLength(1);
    expect(lastText(requests[1]?.messages)).toMatch(
      silent === thought
        ? /^go\[Your last answer had only this thought:\nhm\n/
        : /^go\[Your last answer was empty\./,
    );
  });

  test.each([
    ['empty', nothing],
    ['blank', blank],
  ])('%s twice: the run fails with that message', async (_name, silent) => {
    const { end, run, requests } = await play(scripted(silent, silent));
    expect(end).toMatchObject({ reason: 'error', error: { message: 'The model returned nothing.' } });
    expect(requests).toHaveLength(2);
    expect(run.history).toEqual([prompt]);
  });

  test('only thought twice: the thought is the answer', async () => {
    const { end, run, events } = await play(scripted(thought, thought));
    expect(end).toEqual({ type: 'end', reason: 'done', turns: 1 });
    expect(run.history.map(textOf)).toEqual(['go', 'hm']);
    expect(events).toContainEqual({ type: 'reclassify', as: 'text' });
  });

  test('an endless answer is cut and not continued', async () => {
    const endless = cutText('I will now read the file. '.repeat(500));
    const { end, run, requests } = await play(scripted(endless, says('never')));
    expect(end).toMatchObject({
      reason: 'error',
      error: { message: expect.stringContaining('without end') },
    });
    expect(requests).toHaveLength(1);
    expect(run.history).toHaveLength(2);
  });

  test('after a tool: requested again with a separate prompt', async () => {
    const { end, run, requests } = await play(scripted(calls(['Read', {}]), nothing, nothing));
    expect(end).toMatchObject({
      reason: 'error',
      turns: 2,
      error: { message: 'The model returned nothing.' },
    });
    expect(requests[2]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
    expect(run.history.at(-1)?.role).toBe('tool');
  });

  test('if the second attempt fails, the message reports both', async () => {
    const { end } = await play(scripted(nothing, down));
    expect(end).toMatchObject({
      reason: 'error',
      error: { message: 'The model returned nothing. The retry failed: down', kind: 'bad_request' },
    });
  });

  test('thinking that used the whole output limit: requested once more, then reported as such', async () => {
    const { end, requests } = await play(
      scripted(...[1, 2].map(() => stopping('max_tokens', { type: 'thinking', text: 'hm' }))),
    );
    expect(end).toEqual({ type: 'end', reason: 'max_tokens', turns: 1 });
    expect(requests).toHaveLength(2);
  });

  test('a refusal without text is a refusal', async () => {
    const { end, requests } = await play(scripted(stopping('refusal')));
    expect(end).toMatchObject({ reason: 'refusal' });
    expect(requests).toHaveLength(1);
  });
});
