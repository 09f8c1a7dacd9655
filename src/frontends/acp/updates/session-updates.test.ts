import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../contract/event.ts';
import { SessionUpdates } from './session-updates.ts';

test('a compaction is told in the way the client knows', () => {
  const event = { type: 'compacted' as const, before: 90_000, after: 12_000, by: 'squeeze' };
  const text = 'Compacted from 90,000 to 12,000 tokens: older tool output shortened.';
  const compactions = new SessionUpdates({ cwd: '/p', client: { session: { compaction: {}, notices: {} } } });
  expect([...compactions.of(event), ...compactions.of(event)]).toEqual(
    [1, 2].map((number) => ({
      sessionUpdate: 'compaction_update',
      compactionId: `compaction-${number}`,
      status: 'completed',
      summary: [{ type: 'text', text }],
    })),
  );
  const notices = new SessionUpdates({ cwd: '/p', client: { session: { notices: {} } } });
  expect(notices.of(event)).toEqual([{ sessionUpdate: 'notice', severity: 'info', title: text }]);
  expect(new SessionUpdates({ cwd: '/p', client: {} }).of(event)).toEqual([]);
});

const inSubagent = (event: AgentEvent): AgentEvent => ({
  type: 'subagent',
  callId: 'outer',
  agent: 'general: look',
  event,
});
const call = { type: 'tool_call' as const, id: 'inner', name: 'Read', input: {} };
const started: AgentEvent = { type: 'tool_start', call, title: 'Read a.ts', explores: 'file' };
const ended: AgentEvent = { type: 'tool_end', callId: 'inner', name: 'Read', success: true, durationMs: 1 };
const answered: AgentEvent = {
  type: 'message',
  message: {
    role: 'tool',
    callId: 'inner',
    name: 'Read',
    success: true,
    content: [{ type: 'text', text: 'one' }],
    timestamp: '2026-01-01T00:00:00.000Z',
  },
};

test('calls of a subagent are nested for clients that can, and lines for others', () => {
  const nesting = new SessionUpdates({ cwd: '/p', client: { _meta: { aca: { subagents: true } } } });
  expect([started, ended, answered].flatMap((event) => nesting.of(inSubagent(event)))).toMatchObject([
    { sessionUpdate: 'tool_call', toolCallId: 'inner', _meta: { aca: { parent: 'outer' } } },
    { sessionUpdate: 'tool_call_update', toolCallId: 'inner', status: 'completed' },
  ]);
  const plain = new SessionUpdates({ cwd: '/p', client: {} });
  plain.of({ ...started, call: { ...call, id: 'outer', name: 'Task' } });
  expect([started, ended, answered].flatMap((event) => plain.of(inSubagent(event)))).toMatchObject([
    { sessionUpdate: 'tool_call_update', toolCallId: 'outer' },
  ]);
});

test('a call of a subagent that needed approval is followed to its end by every client', () => {
  const plain = new SessionUpdates({ cwd: '/p', client: {} });
  const request = { callId: 'inner', tool: 'Edit', operation: 'Edit a.ts', accesses: [] };
  const question = { type: 'question', request } as unknown as AgentEvent;
  expect([question, started, ended, answered].flatMap((event) => plain.of(inSubagent(event)))).toMatchObject([
    { sessionUpdate: 'tool_call', toolCallId: 'inner', status: 'pending' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'inner', status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'inner', status: 'completed' },
  ]);
});

const content = [{ type: 'content', content: { type: 'text', text: 'one' } }];
const facts = { toolCallId: 'inner', status: 'completed', content };

test('a call is completed with its result, once', () => {
  const updates = new SessionUpdates({ cwd: '/p', client: {} });
  expect([started, ended, answered].flatMap((event) => updates.of(event))).toEqual([
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'inner',
      title: 'Read a.ts',
      name: 'Read',
      rawInput: {},
      status: 'in_progress',
    },
    { sessionUpdate: 'tool_call_update', ...facts },
  ]);
});

test('a call that was neither judged nor started is announced by its result', () => {
  const updates = new SessionUpdates({ cwd: '/p', client: {} });
  expect([ended, answered].flatMap((event) => updates.of(event))).toEqual([
    { sessionUpdate: 'tool_call', title: 'Read', name: 'Read', ...facts },
  ]);
});

test('a call without a result is closed with the run', () => {
  const updates = new SessionUpdates({ cwd: '/p', client: {} });
  const end: AgentEvent = { type: 'end', reason: 'done', turns: 1 };
  expect([started, ended, end].flatMap((event) => updates.of(event)).at(-1)).toEqual({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'inner',
    status: 'completed',
  });
  expect(updates.of(end)).toEqual([]);
});
