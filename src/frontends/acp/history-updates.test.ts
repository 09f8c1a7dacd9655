import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.ts';
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
