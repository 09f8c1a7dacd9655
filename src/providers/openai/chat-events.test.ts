import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderEvent } from '../../contract/provider.ts';
import { wireNames } from '../tool-names.ts';
import { type ChatFrame, closeReply, openReply, toEvents } from './chat-events.ts';

const delta = (fields: object): ChatFrame => ({ choices: [{ delta: fields }] });
const finish = (reason = 'stop'): ChatFrame => ({ choices: [{ delta: {}, finish_reason: reason }] });
const pieces = (...calls: object[]) => delta({ tool_calls: calls });

function reply(frames: ChatFrame[], think: 'tags' | 'unknown' = 'tags'): ProviderEvent[] {
  const open = openReply(wireNames([{ name: 'Read' }, { name: 'files:list' }]), think);
  return [...frames.flatMap((frame) => [...toEvents(frame, open)]), ...closeReply(open)];
}

/** The collected calls: name, id and joined arguments by key. */
function callsIn(events: ProviderEvent[]) {
  const calls = new Map<string, { id?: string; name: string; json: string; ended: number }>();
  for (const event of events) {
    if (event.type === 'tool_call_start') {
      const { key, id, name } = event;
      expect(calls.has(key)).toBe(false);
      calls.set(key, { ...(id === undefined ? {} : { id }), name, json: '', ended: 0 });
    }
    const call = 'key' in event ? calls.get(event.key) : undefined;
    if (event.type === 'tool_call_delta' && call) call.json += event.json;
    if (event.type === 'tool_call_end' && call) call.ended++;
  }
  expect([...calls.values()].every((call) => call.ended === 1)).toBe(true);
  return [...calls.values()].map(({ ended: _, ...call }) => call);
}

describe('[V04] chat frames as events', () => {
  test('text is passed on unchanged, and an empty choices list is ignored', () => {
    expect(
      reply([
        { choices: [] },
        {},
        delta({ role: 'assistant', content: '' }),
        delta({ content: 'Hel' }),
        delta({ content: 'lo' }),
        finish(),
      ]),
    ).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('usage counts cached tokens separately, wherever the vendor puts them', () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    const expected = {
      type: 'usage',
      usage: { inputTokens: 40, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 0 },
    };
    const places: ChatFrame[] = [
      { choices: [], usage },
      { choices: [{ delta: {}, finish_reason: 'stop', usage }] },
      { x_groq: { usage } },
      { usage: { prompt_tokens: 100, completion_tokens: 7, prompt_cache_hit_tokens: 60 } },
    ];
    for (const place of places) expect(reply([place, finish()])).toContainEqual(expected);
  });

  test.each([
    ['stop', 'end'],
    ['length', 'max_tokens'],
    ['model_context_window_exceeded', 'max_tokens'],
    ['tool_calls', 'end'],
    ['eos', 'end'],
  ])('finish reason %s without calls is %s', (wire, reason) => {
    expect(reply([finish(wire)]).at(-1)).toEqual({ type: 'stop', reason });
  });

  test('a thinking chunk keeps its signature', () => {
    const chunk = (said: string, signature?: string) =>
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: said }], signature }] });
    expect(reply([chunk('one '), chunk('two', 's'), delta({ content: 'done' }), finish()])).toEqual([
      { type: 'thinking', text: 'one ' },
      { type: 'thinking', text: 'two' },
      { type: 'thinking_signature', signature: 's' },
      { type: 'text', text: 'done' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test.each(['content_filter', 'sensitive'])('finish reason %s is what a refusal was about', (category) => {
    expect(reply([finish(category)]).at(-1)).toEqual({
      type: 'stop',
      reason: 'refusal',
      refusal: { category },
    });
  });

  test('a reply with calls ends with tool_calls even if the server says stop, but a limit stays a limit', () => {
    const call = pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '{}' } });
    expect(reply([call, finish('stop')]).at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
    expect(reply([call, finish('function_call')]).at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
    expect(reply([call, finish('length')]).at(-1)).toEqual({ type: 'stop', reason: 'max_tokens' });
  });

  test('a refusal is emitted and marked', () => {
    expect(reply([delta({ refusal: 'I will not.' }), finish()])).toEqual([
      { type: 'text', text: 'I will not.' },
      { type: 'stop', reason: 'refusal' },
    ]);
  });
});

describe('[V09] thinking', () => {
  test.each(['reasoning_content', 'reasoning'])('in the field %s is recognized', (field) => {
    expect(reply([delta({ [field]: 'hm', content: null }), delta({ content: 'ok' }), finish()])).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'ok' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('in tags across frames is recognized', () => {
    const events = reply([
      delta({ content: '<thi' }),
      delta({ content: 'nk>hm</th' }),
      delta({ content: 'ink>ok' }),
      finish(),
    ]);
    expect(events).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'ok' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('before a bare closing tag is reclassified', () => {
    const events = reply([delta({ content: 'hm\n\n</think>\n\nok' }), finish()], 'unknown');
    expect(events).toEqual([
      { type: 'text', text: 'hm' },
      { type: 'reclassify', as: 'thinking' },
      { type: 'text', text: 'ok' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('in a separate field leaves tags in the text alone', () => {
    const events = reply(
      [delta({ reasoning: 'hm' }), delta({ content: 'use </think> so' }), finish()],
      'unknown',
    );
    expect(events.slice(0, 2)).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'use </think> so' },
    ]);
  });

  test('as parts of a content list is recognized', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'ok' },
    ];
    expect(reply([delta({ content }), finish()]).slice(0, 2)).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'ok' },
    ]);
  });
});

describe('[N06] calls, however a compatible server splits them', () => {
  const read = { id: 'a', name: 'Read', json: '{"x":1}' };

  test.each<[string, ChatFrame[], object[]]>([
    [
      'arguments in pieces, the id on the first only',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '' } }),
        pieces({ index: 0, function: { arguments: '{"x"' } }),
        pieces({ index: 0, function: { arguments: ':1}' } }),
      ],
      [read],
    ],
    [
      'id and name on every piece',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '{"x"' } }),
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: ':1}' } }),
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '' } }),
      ],
      [read],
    ],
    [
      'a name in pieces',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Re' } }),
        pieces({ index: 0, function: { name: 'ad' } }),
        pieces({ index: 0, function: { arguments: '{"x":1}' } }),
      ],
      [read],
    ],
    [
      'arguments as an object',
      [pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: { x: 1 } } })],
      [read],
    ],
    [
      'no arguments at all',
      [pieces({ index: 0, id: 'a', function: { name: 'Read' } })],
      [{ id: 'a', name: 'Read', json: '' }],
    ],
    [
      'non-contiguous indexes, interleaved',
      [
        pieces({ index: 5, id: 'a', function: { name: 'Read', arguments: '{"x"' } }),
        pieces({ index: 9, id: 'b', function: { name: 'Read', arguments: '{"y"' } }),
        pieces({ index: 5, function: { arguments: ':1}' } }, { index: 9, function: { arguments: ':2}' } }),
      ],
      [read, { id: 'b', name: 'Read', json: '{"y":2}' }],
    ],
    [
      'the same id for two indexes',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '{"x":1}' } }),
        pieces({ index: 1, id: 'a', function: { name: 'Read', arguments: '{"x":1}' } }),
      ],
      [read, read],
    ],
    [
      'index 0 for every call, told apart by id',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '{"x":1}' } }),
        pieces({ index: 0, id: 'b', function: { name: 'Read', arguments: '{"y"' } }),
        pieces({ index: 0, id: 'b', function: { arguments: ':2}' } }),
      ],
      [read, { id: 'b', name: 'Read', json: '{"y":2}' }],
    ],
    [
      'a new id on every piece of one call',
      [
        pieces({ index: 0, id: 'a', function: { name: 'Read', arguments: '{"x"' } }),
        pieces({ index: 0, id: 'zz', function: { arguments: ':1}' } }),
      ],
      [read],
    ],
    [
      'no index, told apart by id',
      [
        pieces({ id: 'a', function: { name: 'Read', arguments: '{"x"' } }),
        pieces({ function: { arguments: ':1}' } }),
        pieces({ id: 'b', function: { name: 'Read', arguments: '{}' } }),
      ],
      [read, { id: 'b', name: 'Read', json: '{}' }],
    ],
    [
      'no index and no id, each call whole',
      [
        pieces({ function: { name: 'Read', arguments: '{"x":1}' } }),
        pieces({ function: { name: 'Read', arguments: '{"y":2}' } }),
      ],
      [
        { name: 'Read', json: '{"x":1}' },
        { name: 'Read', json: '{"y":2}' },
      ],
    ],
    [
      'no index and no id, two in one frame',
      [pieces({ function: { name: 'Read' } }, { function: { name: 'Write' } })],
      [
        { name: 'Read', json: '' },
        { name: 'Write', json: '' },
      ],
    ],
    [
      'the old function_call',
      [
        delta({ function_call: { name: 'Read', arguments: '{"x"' } }),
        delta({ function_call: { arguments: ':1}' } }),
      ],
      [{ name: 'Read', json: '{"x":1}' }],
    ],
    [
      'an encoded name',
      [pieces({ index: 0, id: 'a', function: { name: 'files__list', arguments: '{}' } })],
      [{ id: 'a', name: 'files:list', json: '{}' }],
    ],
  ])('%s', (_, frames, expected) => {
    expect(callsIn(reply([...frames, finish('tool_calls')]))).toEqual(expected);
  });

  test('any split and interleaving of indexed calls yields the same calls in order, including calls without arguments', () => {
    const call = fc.record({
      name: fc.constantFrom('Read', 'Write'),
      json: fc.oneof(
        fc.constant(''),
        fc.dictionary(fc.string(), fc.string()).map((input) => JSON.stringify(input)),
      ),
    });
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat(5)),
        (calls, dice) => {
          const queues = calls.map(({ name, json }, i) => {
            const index = i * 3;
            const queue = [pieces({ index, id: `c${i}`, function: { name, arguments: '' } })];
            for (let at = 0; at < json.length; ) {
              const size = 1 + dice.next().value;
              queue.push(pieces({ index, function: { arguments: json.slice(at, at + size) } }));
              at += size;
            }
            return queue;
          });
          const heads = queues.flatMap((queue) => queue.slice(0, 1));
          const frames: ChatFrame[] = [];
          let waiting = queues.map((queue) => queue.slice(1));
          while (waiting.length > 0) {
            const frame = waiting[dice.next().value % waiting.length]?.shift();
            if (frame) frames.push(frame);
            waiting = waiting.filter((queue) => queue.length > 0);
          }
          const got = callsIn(reply([...heads, ...frames, finish('tool_calls')]));
          expect(got).toEqual(calls.map((expected, i) => ({ id: `c${i}`, ...expected })));
        },
      ),
    );
  });
});
