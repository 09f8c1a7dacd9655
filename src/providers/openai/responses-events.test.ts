import fc from 'fast-check';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { modelInfo } from '../../../test/support/loopback.ts';
import { wireNames } from '../tool-names.ts';
import { openReply, toEvents } from './responses-events.ts';

type Frame = Record<string, unknown>;

/** The calls in these frames, with their arguments. */
function callsIn(frames: readonly Frame[]): { name: string; json: string }[] {
  const options = { name: 'openai', baseUrl: '', infoOf: () => modelInfo() };
  const reply = openReply(options, wireNames([]));
  const events = frames.flatMap((frame) => [...toEvents(frame as unknown as ResponseStreamEvent, reply)]);
  return events.flatMap((event) => {
    if (event.type !== 'tool_call_start') return [];
    const { key, name } = event;
    const pieces = events.flatMap((other) =>
      other.type === 'tool_call_delta' && other.key === key ? [other.json] : [],
    );
    return [{ name, json: pieces.join('') }];
  });
}

const added = (item: Frame, at: Frame = {}) => ({
  type: 'response.output_item.added',
  ...at,
  item: { type: 'function_call', arguments: '', ...item },
});
const piece = (delta: string, at: Frame = {}) => ({
  type: 'response.function_call_arguments.delta',
  ...at,
  delta,
});
const done = (item: Frame, at: Frame = {}) => ({
  type: 'response.output_item.done',
  ...at,
  item: { type: 'function_call', ...item },
});

describe('parallel calls arrive once each', () => {
  const A = { name: 'Read', arguments: '{"a":1}' };
  const B = { name: 'Read', arguments: '{"b":2}' };
  const expected = [
    { name: 'Read', json: '{"a":1}' },
    { name: 'Read', json: '{"b":2}' },
  ];

  test.each<[string, Frame[]]>([
    [
      'llama-server: call ids only, and fragments by them',
      [
        added({ call_id: 'fc_a', name: 'Read' }),
        piece('{"a":1}', { item_id: 'fc_a' }),
        added({ call_id: 'fc_b', name: 'Read' }),
        piece('{"b":2}', { item_id: 'fc_b' }),
        done({ call_id: 'fc_a', ...A }),
        done({ call_id: 'fc_b', ...B }),
      ],
    ],
    [
      'one index for all',
      [
        added({ id: '1', call_id: 'a', name: 'Read' }, { output_index: 0 }),
        added({ id: '2', call_id: 'b', name: 'Read' }, { output_index: 0 }),
        piece('{"a":1}', { item_id: '1', output_index: 0 }),
        piece('{"b":2}', { item_id: '2', output_index: 0 }),
        done({ id: '1', call_id: 'a', ...A }, { output_index: 0 }),
        done({ id: '2', call_id: 'b', ...B }, { output_index: 0 }),
      ],
    ],
    [
      'ids at the start, call ids at the end',
      [
        added({ id: '1', name: 'Read' }),
        added({ id: '2', name: 'Read' }),
        done({ call_id: 'a', ...A }),
        done({ call_id: 'b', ...B }),
      ],
    ],
    [
      'one call id for different items',
      [
        added({ id: '1', call_id: 'same', name: 'Read' }, { output_index: 0 }),
        done({ id: '1', call_id: 'same', ...A }, { output_index: 0 }),
        added({ id: '2', call_id: 'same', name: 'Read' }, { output_index: 1 }),
        done({ id: '2', call_id: 'same', ...B }, { output_index: 1 }),
      ],
    ],
    [
      'one call id for different items, no index',
      [
        added({ id: '1', call_id: 'same', name: 'Read' }),
        added({ id: '2', call_id: 'same', name: 'Read' }),
        done({ id: '1', call_id: 'same', ...A }),
        done({ id: '2', call_id: 'same', ...B }),
      ],
    ],
    ['finished items only', [done({ call_id: 'a', ...A }), done({ call_id: 'b', ...B })]],
    ['finished items without any name', [done(A), done(B)]],
    [
      'each finished item twice',
      [
        done({ call_id: 'a', ...A }),
        done({ call_id: 'a', ...A }),
        done({ call_id: 'b', ...B }),
        done({ call_id: 'b', ...B }),
      ],
    ],
    [
      'no finished items',
      [
        added({ call_id: 'a', name: 'Read' }),
        piece('{"a":1}'),
        added({ call_id: 'b', name: 'Read' }),
        piece('{"b":2}'),
      ],
    ],
  ])('%s', (_name, frames) => {
    expect(callsIn(frames)).toEqual(expected);
  });
});

test('property: whatever names a server gives its calls, each call arrives once with its arguments', () => {
  const names = fc.constantFrom('both', 'id', 'call_id', 'none');
  const style = fc.record({
    index: fc.constantFrom('none', 'own', 'zero'),
    start: names,
    end: names,
    pieces: fc.constantFrom('id', 'call_id', 'none', 'left out'),
    together: fc.boolean(),
    tools: fc.array(fc.constantFrom('Read', 'Grep'), { minLength: 1, maxLength: 4 }),
  });
  fc.assert(
    fc.property(style, ({ index, start, end, pieces, together, tools }) => {
      const named = (kind: string, i: number) => ({
        name: tools[i],
        ...((kind === 'both' || kind === 'id') && { id: `fc_${i}` }),
        ...((kind === 'both' || kind === 'call_id') && { call_id: `call_${i}` }),
      });
      const at = (i: number) => (index === 'none' ? {} : { output_index: index === 'own' ? i : 0 });
      const json = (i: number) => JSON.stringify({ at: i });
      const open = (i: number) => added(named(start, i), at(i));
      const write = (i: number) =>
        pieces === 'left out'
          ? []
          : [piece(json(i), { ...at(i), ...(pieces !== 'none' && { item_id: `${prefix[pieces]}${i}` }) })];
      const prefix = { id: 'fc_', call_id: 'call_' };
      const close = (i: number) => done({ ...named(end, i), arguments: json(i) }, at(i));
      const all = tools.map((_, i) => i);
      // Fragments that nothing tells apart come one call at a time.
      const isTold = index === 'own' || pieces === 'left out' || start === 'both' || start === pieces;
      const frames =
        together && isTold && pieces !== 'none'
          ? [...all.map(open), ...all.flatMap(write), ...all.map(close)]
          : all.flatMap((i) => [open(i), ...write(i), close(i)]);
      expect(callsIn(frames)).toEqual(tools.map((name, i) => ({ name, json: json(i) })));
    }),
    { numRuns: 500 },
  );
});
