import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import { type FinishedSpan, SpanFold } from './spans.ts';
import { TraceIds } from './trace-ids.ts';

const usage = { inputTokens: 70, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 10 };
const begins: AgentEvent = {
  type: 'run_start',
  sessionId: 's1',
  provider: 'google',
  model: 'gemini',
  cwd: '/',
  messages: 0,
};
const answered: AgentEvent = {
  type: 'model_call',
  provider: 'google',
  model: 'gemini',
  purpose: 'main',
  durationMs: 3,
  contextWindow: 1000,
  usage,
  stop: 'tool_calls',
};
const call = { id: 'c', name: 'Read', input: { file_path: 'hidden plan' } };
const starts: AgentEvent = { type: 'tool_start', call, title: 'Read hidden plan' };
const finishes: AgentEvent = { type: 'tool_end', callId: 'c', name: 'Read', success: true, durationMs: 1 };
const asks: AgentEvent = {
  type: 'question',
  request: { callId: 'c', tool: 'Read', operation: 'Read hidden plan', accesses: [], because: '' },
};
const judged: AgentEvent = {
  type: 'judged',
  callId: 'c',
  tool: 'Read',
  verdict: 'allow',
  by: 'user',
  because: 'you allowed it (once)',
  accesses: [],
};
const said: Message = {
  role: 'assistant',
  content: [
    { type: 'thinking', text: 'hm' },
    { type: 'text', text: 'the hidden plan' },
    { type: 'tool_call', ...call },
  ],
  provider: 'google',
  model: 'gemini',
  stopReason: 'tool_calls',
  timestamp: '',
};
const asked: Message = {
  role: 'user',
  content: [
    { type: 'text', text: 'find the hidden plan' },
    { type: 'image', mediaType: 'image/png', data: 'aGlkZGVu' },
  ],
  timestamp: '',
};
const ends: AgentEvent = { type: 'end', reason: 'done', turns: 1 };

/** One second passes before each event. */
function fold(events: readonly AgentEvent[], capture: (<T>(value: T) => T) | null = null): FinishedSpan[] {
  const ids = new TraceIds();
  const spans = new SpanFold();
  const ended = events.flatMap((event, i) =>
    spans.take(event, { ids: ids.of(event), atMs: i * 1000, capture }),
  );
  return [...ended, ...spans.close(events.length * 1000)];
}

const times = ({ name, startMs, endMs }: FinishedSpan) => [name, startMs, endMs];

describe('a run as spans', () => {
  const events = [
    begins,
    { type: 'message', message: asked },
    { type: 'turn_start', turn: 1 },
    answered,
    { type: 'message', message: said },
    asks,
    judged,
    starts,
    finishes,
    ends,
  ] satisfies AgentEvent[];

  test('each from its start to its end', () => {
    expect(fold(events).map(times)).toEqual([
      ['chat gemini', 2997, 3000],
      ['permission_wait Read', 5000, 6000],
      ['execute_tool Read', 7000, 8000],
      ['invoke_agent ai-code-assistant', 0, 9000],
    ]);
  });

  test('named by the conventions; without any content', () => {
    const spans = fold(events);
    expect(spans.map(({ attributes }) => attributes)).toEqual([
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'gcp.gemini',
        'gen_ai.request.model': 'gemini',
        'gen_ai.conversation.id': 's1',
        'aca.purpose': 'main',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.usage.cache_read.input_tokens': 20,
        'gen_ai.usage.cache_creation.input_tokens': 10,
        'gen_ai.response.finish_reasons': ['tool_calls'],
      },
      {
        'gen_ai.tool.name': 'Read',
        'gen_ai.tool.call.id': 'c',
        'aca.permission.verdict': 'allow',
        'aca.permission.by': 'user',
      },
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Read',
        'gen_ai.tool.call.id': 'c',
        'gen_ai.tool.type': 'function',
      },
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'ai-code-assistant',
        'gen_ai.conversation.id': 's1',
        'gen_ai.provider.name': 'gcp.gemini',
        'gen_ai.request.model': 'gemini',
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.usage.cache_read.input_tokens': 20,
        'gen_ai.usage.cache_creation.input_tokens': 10,
        'aca.run.turns': 1,
        'aca.run.end_reason': 'done',
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain('hidden');
  });

  test('with content if enabled, and only after redaction', () => {
    const capture = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('hidden', '***')) as T;
    const spans = fold(events, capture);
    const contents = spans.flatMap(({ attributes }) =>
      ['gen_ai.tool.call.arguments', 'gen_ai.input.messages', 'gen_ai.output.messages'].flatMap((key) =>
        key in attributes ? [JSON.parse(String(attributes[key]))] : [],
      ),
    );
    expect(contents).toEqual([
      { file_path: '*** plan' },
      [
        {
          role: 'user',
          parts: [
            { type: 'text', content: 'find the *** plan' },
            { type: 'blob', modality: 'image', mime_type: 'image/png' },
          ],
        },
      ],
      [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'text', content: 'the *** plan' },
            { type: 'tool_call', id: 'c', name: 'Read', arguments: { file_path: '*** plan' } },
          ],
          finish_reason: 'tool_calls',
        },
      ],
    ]);
    expect(JSON.stringify(spans)).not.toContain('hidden');
  });
});

test('every gen_ai name is one of the conventions', () => {
  const known = new Set<unknown>(Object.values(conventions));
  const spans = fold(
    [begins, { type: 'message', message: asked }, answered, asks, judged, starts, finishes, ends],
    (value) => value,
  );
  const names = spans.flatMap(({ attributes }) => Object.keys(attributes));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !name.startsWith('aca.') && !known.has(name))).toEqual([]);
  const values = spans.flatMap(({ attributes }) => attributes['gen_ai.operation.name'] ?? []);
  expect(values.filter((value) => !known.has(value))).toEqual([]);
});

test('a subagent’s run is a child of the call that started it; its task is not in the name', () => {
  const within = (event: AgentEvent): AgentEvent => ({
    type: 'subagent',
    callId: 'c',
    agent: 'explore: find the hidden plan',
    event,
  });
  const spans = fold([
    begins,
    starts,
    within({ type: 'turn_start', turn: 1 }),
    within(answered),
    within(ends),
    finishes,
    ends,
  ]);
  const [chat, inner, tool, run] = spans.map(({ name, ids }) => ({ name, ...ids }));
  expect([chat, inner, tool, run].map((span) => span?.name)).toEqual([
    'chat gemini',
    'invoke_agent explore',
    'execute_tool Read',
    'invoke_agent ai-code-assistant',
  ]);
  expect([chat?.parentId, inner?.parentId, tool?.parentId, run?.parentId]).toEqual([
    inner?.spanId,
    tool?.spanId,
    run?.spanId,
    null,
  ]);
});

test('failures are reported by kind', () => {
  const failed: AgentEvent = {
    type: 'model_call',
    provider: 'p',
    model: 'm',
    purpose: 'main',
    durationMs: 1,
    contextWindow: 9,
    error: 'auth',
  };
  const spans = fold([
    begins,
    failed,
    starts,
    { ...finishes, success: false },
    { type: 'end', reason: 'error', turns: 1, error: { message: 'the hidden words', kind: 'auth' } },
  ]);
  expect(spans.map(({ error, attributes }) => [error, attributes['error.type']])).toEqual([
    ['auth', 'auth'],
    ['tool_error', 'tool_error'],
    ['auth', 'auth'],
  ]);
});

test('open operations end at close, as unfinished', () => {
  expect(fold([begins, asks, starts]).map(({ name, endMs, error }) => [name, endMs, error])).toEqual([
    ['permission_wait Read', 3000, 'unfinished'],
    ['execute_tool Read', 3000, 'unfinished'],
    ['invoke_agent ai-code-assistant', 3000, 'unfinished'],
  ]);
});
