import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import {
  type OperationIds,
  otelSpanId,
  otelTraceId,
  parseTraceparent,
  TraceIds,
  traceparentOf,
} from './trace-ids.ts';

const begins: AgentEvent = {
  type: 'run_start',
  sessionId: 's',
  provider: 'p',
  model: 'm',
  cwd: '/',
  messages: 0,
};
const ends: AgentEvent = { type: 'end', reason: 'done', turns: 1 };
const text = (): AgentEvent => ({ type: 'text', text: 'hi' });
const answered = (purpose: 'main' | 'helper' = 'main'): AgentEvent => ({
  type: 'model_call',
  provider: 'p',
  model: 'm',
  purpose,
  durationMs: 1,
  contextWindow: 1000,
  stop: 'end',
});
const starts = (id: string): AgentEvent => ({
  type: 'tool_start',
  call: { id, name: 'Read', input: {} },
  title: '',
});
const finishes = (callId: string): AgentEvent => ({
  type: 'tool_end',
  callId,
  name: 'Read',
  success: true,
  durationMs: 1,
});
const asks = (callId: string): AgentEvent => ({
  type: 'question',
  request: { callId, tool: 'Read', operation: '', accesses: [], because: '' },
});
const judges = (callId: string): AgentEvent => ({
  type: 'judged',
  callId,
  tool: 'Read',
  verdict: 'allow',
  by: 'user',
  because: '',
  accesses: [],
});
const within = (callId: string, event: AgentEvent): AgentEvent => ({
  type: 'subagent',
  callId,
  agent: 'explore: x',
  event,
});

/** Ids are numbers in the order of creation. */
function counted(): TraceIds {
  let made = 0;
  return new TraceIds({ newId: () => String(++made) });
}

describe('which operation an event belongs to', () => {
  test('the chunks of an answer belong to one request, the next answer to another', () => {
    const ids = counted();
    const run = ids.of({ ...begins });
    const [first, second, over] = [text(), text(), answered()].map((event) => ids.of(event));
    const next = ids.of(text());

    expect(run).toEqual({ traceId: '1', spanId: '2', parentId: null });
    expect(first).toEqual({ traceId: '1', spanId: '3', parentId: '2' });
    expect([second, over]).toEqual([first, first]);
    expect(next).toEqual({ traceId: '1', spanId: '4', parentId: '2' });
  });

  test('a background job during a request does not end it', () => {
    const ids = counted();
    ids.of({ ...begins });
    const request = ids.of(text());
    expect(ids.of(answered('helper'))).toEqual({ traceId: '1', spanId: '4', parentId: '2' });
    expect(ids.of(answered())).toEqual(request);
  });

  test('a question and its answer are one operation, the call another', () => {
    const ids = counted();
    ids.of({ ...begins });
    const question = ids.of(asks('c'));
    expect(ids.of(judges('c'))).toEqual(question);
    const call = ids.of(starts('c'));
    expect(call.spanId).not.toBe(question.spanId);
    expect([call.parentId, question.parentId]).toEqual(['2', '2']);
    expect(ids.of(finishes('c'))).toEqual(call);
  });

  test("a subagent's parent is the call that started it, in the same trace", () => {
    const ids = counted();
    ids.of({ ...begins });
    const call = ids.of(starts('c'));
    const turn = ids.of(within('c', { type: 'turn_start', turn: 1 }));
    const inner = ids.of(within('c', starts('d')));
    expect(turn).toEqual({ traceId: '1', spanId: '4', parentId: call.spanId });
    expect(inner).toEqual({ traceId: '1', spanId: '5', parentId: turn.spanId });
    expect(ids.of(within('c', { ...ends }))).toEqual(turn);
    expect(ids.of({ ...ends })).toEqual({ traceId: '1', spanId: '2', parentId: null });
  });

  test('operations outside of runs have their own traces', () => {
    const ids = counted();
    const before = ids.of({ type: 'notice', level: 'info', text: '' });
    const run = ids.of({ ...begins });
    ids.of({ ...ends });
    const after = ids.of(starts('c'));
    expect([before.parentId, after.parentId]).toEqual([null, null]);
    expect(new Set([before.traceId, run.traceId, after.traceId]).size).toBe(3);
  });

  test('the same event always maps to the same operation', () => {
    const ids = counted();
    ids.of({ ...begins });
    const event = answered();
    expect(ids.of(event)).toEqual(ids.of(event));
  });

  test('whatever the order of events, an operation belongs to one trace', () => {
    const call = fc.constantFrom('a', 'b');
    const plain = fc.oneof(
      fc.constant(begins),
      fc.constant(ends),
      fc.constantFrom(text(), answered(), answered('helper')),
      call.map(starts),
      call.map(finishes),
      call.map(asks),
      call.map(judges),
    );
    const outer = fc.oneof(
      plain,
      fc.tuple(call, plain).map(([id, event]) => within(id, event)),
      fc.tuple(call, call, plain).map(([outer, id, event]) => within(outer, within(id, event))),
    );
    fc.assert(
      fc.property(fc.array(outer), (events) => {
        const ids = new TraceIds();
        const traces = new Map<string, string>();
        for (const event of events) {
          const { traceId, spanId } = ids.of(structuredClone(event));
          expect(traces.get(spanId) ?? traceId).toBe(traceId);
          traces.set(spanId, traceId);
        }
      }),
    );
  });
});

test('[O06] ids are UUIDs; as hexadecimal digits they are valid for OpenTelemetry', () => {
  const { traceId, spanId }: OperationIds = new TraceIds().of({ ...begins });
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect([traceId, spanId].filter((id) => !uuid.test(id))).toEqual([]);
  expect(otelTraceId('01234567-89ab-4def-8123-456789abcdef')).toBe('0123456789ab4def8123456789abcdef');
  expect(otelSpanId('01234567-89ab-4def-8123-456789abcdef')).toBe('8123456789abcdef');
});

describe('an operation of another process', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  test('is the parent of runs and of what happens outside of them, each with its own span', () => {
    const parent = parseTraceparent(traceparent);
    if (!parent) throw new Error('It is valid.');
    expect(traceparentOf(parent)).toBe(traceparent);
    const ids = new TraceIds({ parent });
    const [run, request, outside] = [
      ids.of({ ...begins }),
      ids.of(text()),
      new TraceIds({ parent }).of(answered('helper')),
    ];
    expect([run, request, outside].map(({ traceId }) => otelTraceId(traceId))).toEqual(
      Array(3).fill('4bf92f3577b34da6a3ce929d0e0e4736'),
    );
    expect([run, outside].map(({ parentId }) => otelSpanId(parentId ?? ''))).toEqual(
      Array(2).fill('00f067aa0ba902b7'),
    );
    expect(request.parentId).toBe(run.spanId);
  });

  test.each([
    undefined,
    '',
    'x',
    traceparent.slice(1),
    `${traceparent}0`,
    traceparent.toUpperCase(),
    traceparent.replace(/[^-]{32}/, '0'.repeat(32)),
    traceparent.replace(/-[^-]{16}-/, `-${'0'.repeat(16)}-`),
  ])('%s is none', (wrong) => {
    expect(parseTraceparent(wrong)).toBeNull();
  });
});
