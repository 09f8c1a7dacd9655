import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../../test/support/model-server/script.ts';
import { scripted } from '../../test/support/scripted.ts';
import { type ToolCallPart, toolCallsOf } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';
import { complete, Reply } from './accumulate.ts';

const AT = '2026-01-01T00:00:00.000Z';

function fold(events: ProviderEvent[], earlier: ToolCallPart[] = []): Reply {
  const reply = new Reply({
    provider: 'p',
    model: 'm',
    earlier: (id) => earlier.find((part) => part.id === id),
  });
  for (const event of events) reply.push(event);
  return reply;
}

function call(key: string, id: string | undefined, json: string): ProviderEvent[] {
  return [
    { type: 'tool_call_start', key, name: 'Read', ...(id !== undefined && { id }) },
    { type: 'tool_call_delta', key, json },
    { type: 'tool_call_end', key },
  ];
}

describe('[L08] folding a reply', () => {
  test('several calls written as one become calls of their own, in its place', () => {
    const uses = [
      { recipient_name: 'functions.Read', parameters: { file_path: 'a' } },
      { recipient_name: 'functions.Glob', parameters: { pattern: '*' } },
    ];
    const reply = fold([
      { type: 'tool_call_start', key: '0', name: 'multi_tool_use.parallel', id: 'x' },
      { type: 'tool_call_delta', key: '0', json: JSON.stringify({ tool_uses: uses }) },
      ...call('1', 'y', '{"file_path":"b"}'),
      { type: 'stop', reason: 'tool_calls' },
    ]);
    const parts = toolCallsOf(reply.finish(AT));
    expect(parts.map(({ name, input }) => [name, input])).toEqual([
      ['Read', { file_path: 'a' }],
      ['Glob', { pattern: '*' }],
      ['Read', { file_path: 'b' }],
    ]);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(3);
  });

  test('deltas become parts in order of arrival', () => {
    const reply = fold([
      { type: 'thinking', text: 'hm' },
      { type: 'thinking', text: 'm' },
      { type: 'thinking_signature', signature: 'sig' },
      { type: 'text', text: 'Hello ' },
      { type: 'text', text: 'you' },
      ...call('0', 'a', '{"file_path":"x"}'),
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 } },
      { type: 'stop', reason: 'tool_calls' },
    ]);
    expect(reply.finish(AT)).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hmm', signature: 'sig' },
        { type: 'text', text: 'Hello you' },
        { type: 'tool_call', id: 'a', name: 'Read', input: { file_path: 'x' } },
      ],
      provider: 'p',
      model: 'm',
      stopReason: 'tool_calls',
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
      timestamp: AT,
    });
  });

  test('notes are thoughts, with their signatures and apart from each other', () => {
    const reply = fold([
      { type: 'text', text: 'Read', note: true },
      { type: 'text', text: 'ing.', note: true },
      { type: 'thinking_signature', signature: 's1' },
      { type: 'thinking', text: '' },
      { type: 'thinking_signature', signature: 's2' },
      { type: 'text', text: 'Writing.', note: true },
      { type: 'thinking_signature', signature: 's3' },
      { type: 'text', text: 'Done.' },
      { type: 'stop', reason: 'end' },
    ]);
    expect(reply.finish(AT).content).toEqual([
      { type: 'thinking', text: 'Reading.', signature: 's1', note: true },
      { type: 'thinking', text: '', signature: 's2' },
      { type: 'thinking', text: 'Writing.', signature: 's3', note: true },
      { type: 'text', text: 'Done.' },
    ]);
  });

  test('texts that the vendor closed stay apart, with its labels', () => {
    const reply = fold([
      { type: 'text', text: 'Look' },
      { type: 'text', text: 'ing.' },
      { type: 'text_end', phase: 'commentary', signature: 'msg_1' },
      { type: 'text', text: 'Found.' },
      { type: 'text_end', phase: 'final_answer' },
      { type: 'text_end', phase: 'final_answer' },
      { type: 'text', text: 'More.' },
      { type: 'stop', reason: 'end' },
    ]);
    expect(reply.finish(AT).content).toEqual([
      { type: 'text', text: 'Looking.', phase: 'commentary', signature: 'msg_1' },
      { type: 'text', text: 'Found.', phase: 'final_answer' },
      { type: 'text', text: 'More.' },
    ]);
  });

  test('[V06] a retry sends the same request again: what arrived before it is dropped', () => {
    const reply = fold([
      { type: 'thinking', text: 'one' },
      { type: 'thinking_signature', signature: 's1' },
      ...call('0', 'a', '{"file_'),
      { type: 'retry', kind: 'cut', message: 'broken', attempt: 1, delayMs: 1 },
      { type: 'thinking', text: 'two' },
      { type: 'thinking_signature', signature: 's2' },
      { type: 'text', text: 'Hello' },
      ...call('0', 'a', '{"file_path":"x"}'),
      { type: 'stop', reason: 'tool_calls' },
    ]);
    expect(reply.finish(AT).content).toEqual([
      { type: 'thinking', text: 'two', signature: 's2' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_call', id: 'a', name: 'Read', input: { file_path: 'x' } },
    ]);
  });

  test('a fallback model is named as the one that answered', () => {
    const reply = fold([
      { type: 'model', provider: 'q', model: 'n' },
      { type: 'text', text: 'hey' },
      { type: 'stop', reason: 'end' },
    ]);
    expect(reply.finish(AT)).toMatchObject({ provider: 'q', model: 'n' });
  });

  test('a signed thought and the thought after it stay two thoughts', () => {
    const reply = fold([
      { type: 'thinking', text: 'one' },
      { type: 'thinking_signature', signature: 's1' },
      { type: 'thinking', text: 'two' },
      { type: 'thinking_signature', signature: 's2' },
      { type: 'thinking_signature', signature: 'r', redacted: true },
    ]);
    expect(reply.finish(AT).content).toEqual([
      { type: 'thinking', text: 'one', signature: 's1' },
      { type: 'thinking', text: 'two', signature: 's2' },
      { type: 'thinking', text: '', signature: 'r', redacted: true },
    ]);
  });

  test('argument deltas of interleaved calls reach the right call', () => {
    const reply = fold([
      { type: 'tool_call_start', key: '7', id: 'a', name: 'Read' },
      { type: 'tool_call_start', key: '2', id: 'b', name: 'Glob' },
      { type: 'tool_call_delta', key: '7', json: '{"file_' },
      { type: 'tool_call_delta', key: '2', json: '{"pattern":' },
      { type: 'tool_call_delta', key: '7', json: 'path":"x"}' },
      { type: 'tool_call_delta', key: '2', json: '"*"}' },
    ]);
    expect(toolCallsOf(reply.finish(AT)).map(({ id, input }) => ({ id, input }))).toEqual([
      { id: 'a', input: { file_path: 'x' } },
      { id: 'b', input: { pattern: '*' } },
    ]);
  });

  test.each([
    ['nothing at all', '', { input: {} }],
    ['white space', ' \n', { input: {} }],
    ['cut JSON', '{"a": 1,', { input: {}, malformed: '{"a": 1,' }],
    ['an array', '[1]', { input: {}, malformed: '[1]' }],
    ['a string', '"x"', { input: {}, malformed: '"x"' }],
    ['null', 'null', { input: {}, malformed: 'null' }],
  ])('arguments that are %s have a defined input', (_name, json, expected) => {
    const [part] = toolCallsOf(fold(call('0', 'a', json)).finish(AT));
    expect(part).toEqual({ type: 'tool_call', id: 'a', name: 'Read', ...expected });
  });

  test('[L12] ids are unique within the reply and the session, and generated where the vendor gives none', () => {
    const reply = fold(
      [
        ...call('0', 'same', ''),
        ...call('1', 'same', ''),
        ...call('2', undefined, ''),
        ...call('3', 'old', ''),
      ],
      [{ type: 'tool_call', id: 'old', name: 'Read', input: {} }],
    );
    const ids = toolCallsOf(reply.finish(AT)).map(({ id }) => id);
    expect(ids[0]).toBe('same');
    expect(new Set([...ids, 'old']).size).toBe(5);
  });

  test.each([
    ['the same call under its own id', 'toolu_01abcdef', '{"a":1}', 'toolu_01abcdef'],
    ['another input under a used id', 'toolu_01abcdef', '{"a":2}', undefined],
    ['an id that counts', 'call_0', '{"a":1}', undefined],
    ['an id that counts by tool', 'functions.Read:12', '{"a":1}', undefined],
    ['an id too short to be one', '7', '{"a":1}', undefined],
  ])('[L12] %s is distinguished from a repeated call', (_name, id, json, repeats) => {
    const earlier: ToolCallPart = { type: 'tool_call', id, name: 'Read', input: { a: 1 } };
    const [part] = toolCallsOf(fold(call('0', id, json), [earlier]).finish(AT));
    expect(part?.id).not.toBe(id);
    expect(part?.repeats).toBe(repeats);
  });

  test.each([
    ['without ids', undefined, undefined],
    ['with ids of their own', 'toolu_01abcdef', 'toolu_02abcdef'],
    ['with ids that count', 'call_0', 'call_1'],
    ['with one id', 'call_0', 'call_0'],
  ])('[L12] equal calls in one reply, %s, are one call sent twice', (_name, first, second) => {
    const events = [...call('0', first, '{"a":1,"b":2}'), ...call('1', second, '{"b":2,"a":1}')];
    const [one, other] = toolCallsOf(fold(events).finish(AT));
    expect(one?.repeats).toBe(undefined);
    expect(other).toMatchObject({ repeats: one?.id });
    expect(other?.id).not.toBe(one?.id);
  });

  test('[V09] a bare closing tag turns preceding text into thinking, and vice versa', () => {
    const thinking = fold([
      { type: 'text', text: 'hmm' },
      { type: 'reclassify', as: 'thinking' },
      { type: 'text', text: 'yes' },
    ]);
    expect(thinking.finish(AT).content).toEqual([
      { type: 'thinking', text: 'hmm' },
      { type: 'text', text: 'yes' },
    ]);
    const text = fold([
      { type: 'thinking', text: 'all ' },
      { type: 'thinking', text: 'of it' },
      { type: 'reclassify', as: 'text' },
    ]);
    expect(text.finish(AT).content).toEqual([{ type: 'text', text: 'all of it' }]);
  });

  test('a reply with calls never has the stop reason of a final answer', () => {
    expect(fold([...call('0', 'a', '{}'), { type: 'stop', reason: 'end' }]).finish(AT).stopReason).toBe(
      'tool_calls',
    );
  });

  test('a broken reply keeps its text and drops its calls', () => {
    const reply = fold([{ type: 'text', text: 'half' }, ...call('0', 'a', '{"x":')]);
    expect(reply.endEarly('cut', AT)?.content).toEqual([{ type: 'text', text: 'half' }]);
    expect(fold(call('0', 'a', '{}')).endEarly('aborted', AT)).toBe(null);
    expect(fold([{ type: 'text', text: ' \n' }]).endEarly('cut', AT)).toBe(null);
  });

  test('property: any split of the same text and arguments folds to the same message', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), fc.array(fc.nat(20)), (text, value, cuts) => {
        const json = JSON.stringify({ value });
        const pieces = (whole: string) => split(whole, cuts);
        const split_ = fold([
          ...pieces(text).map((piece): ProviderEvent => ({ type: 'text', text: piece })),
          { type: 'tool_call_start', key: 'k', id: 'a', name: 'Read' },
          ...pieces(json).map((piece): ProviderEvent => ({ type: 'tool_call_delta', key: 'k', json: piece })),
        ]);
        const whole = fold([{ type: 'text', text }, ...call('k', 'a', json)]);
        expect(split_.finish(AT)).toEqual(whole.finish(AT));
      }),
    );
  });
});

test('[V01] complete is derived from stream', async () => {
  const request = { model: 'm', system: '', messages: [] };
  const said = await complete(scripted(says('hello')), request, new AbortController().signal);
  expect(said.content).toEqual([{ type: 'text', text: 'hello' }]);
  const called = await complete(
    scripted(calls(['Read', { file_path: 'x' }])),
    request,
    new AbortController().signal,
  );
  expect(called.stopReason).toBe('tool_calls');
});

function split(text: string, cuts: number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const cut of cuts) {
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}
