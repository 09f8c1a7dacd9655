import { expect, test } from 'vitest';
import type { Message } from '../../../contract/message.ts';
import { historyUpdates } from './history-updates.ts';

test('a saved conversation is told with its calls, its thoughts and where it was interrupted', () => {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const call = { type: 'tool_call' as const, id: 'c1', name: 'Bash', input: { command: 'ls' } };
  const messages = [
    { role: 'user', content: [{ type: 'text', text: ' list it \n' }], timestamp },
    {
      role: 'assistant',
      content: [{ type: 'thinking', text: 'Hm.' }, { type: 'text', text: ' ' }, call],
      timestamp,
    },
    {
      role: 'tool',
      callId: 'c1',
      name: 'Bash',
      success: true,
      content: [{ type: 'text', text: 'a\nb' }],
      metadata: { command: 'ls', exitCode: 0 },
      timestamp,
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Two' }], stopReason: 'aborted', timestamp },
    // Only what is shown.
  ] as unknown as Message[];

  expect(historyUpdates({ messages }, '/p').map(({ update }) => update)).toMatchObject([
    { sessionUpdate: 'user_message_chunk', content: { text: 'list it' } },
    { sessionUpdate: 'agent_thought_chunk', content: { text: 'Hm.' } },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      kind: 'execute',
      status: 'completed',
      content: [{ type: 'content', content: { text: '```\na\nb\n```' } }],
    },
    { sessionUpdate: 'agent_message_chunk', content: { text: 'Two' } },
    { sessionUpdate: 'agent_message_chunk', content: { text: 'Interrupted.' } },
  ]);
});

const timestamp = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const calling = (id: string, name: string, at: number, input: object = {}): Message[] =>
  [
    { role: 'assistant', content: [{ type: 'tool_call', id, name, input }], timestamp: timestamp(at) },
    { role: 'tool', callId: id, name, success: true, content: [], timestamp: timestamp(at) },
  ] as unknown as Message[];

test('the calls of subagents are nested in the calls that made them work, theirs included', () => {
  const place = { workingDirectory: '/p', startedAt: timestamp(0), permissions: [], settings: { model: '' } };
  const work = { agent: 'general', task: 'look' };
  const outer = {
    ...{ ...place, id: 'aa', subagent: { ...work, callId: 'task' } },
    messages: [
      ...calling('first', 'Read', 2),
      ...calling('deeper', 'Task', 2),
      ...calling('later', 'Glob', 6),
    ],
  };
  const inner = {
    ...{ ...place, id: 'bb', subagent: { ...work, callId: 'deeper', parent: 'aa' } },
    messages: calling('innermost', 'Read', 3),
  };
  const messages = [...calling('task', 'Task', 1), ...calling('more', 'Task', 5, { continue: 'aa' })];
  const told = (count?: number) =>
    historyUpdates({ messages, count, subagents: [outer, inner] }, '/p').map(({ update }) => [
      'toolCallId' in update && update.toolCallId,
      update._meta?.aca,
    ]);

  const first = [
    ['task', undefined],
    ['first', { parent: 'task' }],
    ['deeper', { parent: 'task' }],
    ['innermost', { parent: 'deeper' }],
  ];
  expect(told()).toEqual([...first, ['more', undefined], ['later', { parent: 'more' }]]);
  expect(told(2)).toEqual(first);
});
