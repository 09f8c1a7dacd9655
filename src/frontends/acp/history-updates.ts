import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { pastCall } from '../../app/conversation/past-calls.ts';
import { pastParts } from '../../app/conversation/past-parts.ts';
import type { Message, ToolCallPart, ToolMessage } from '../../contract/message.ts';
import { textOf } from '../../contract/message.ts';
import { contentOf, kindOf, textContent } from './tool-calls.ts';

const CHUNKS = {
  prompt: 'user_message_chunk',
  text: 'agent_message_chunk',
  thinking: 'agent_thought_chunk',
  end: 'agent_message_chunk',
} as const;

/** A saved conversation as the updates that an editor would have received. */
export function historyUpdates(messages: readonly Message[], cwd: string): SessionUpdate[] {
  const answers = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  );
  return messages.flatMap((message, index) =>
    pastParts(message).map((part): SessionUpdate => {
      if (part.type === 'call') return callUpdate(part.call, answers.get(part.call.id), cwd);
      const messageId = part.type === 'end' ? `end-${index}` : `earlier-${index}`;
      return { sessionUpdate: CHUNKS[part.type], content: { type: 'text', text: part.text }, messageId };
    }),
  );
}

function callUpdate(call: ToolCallPart, answer: ToolMessage | undefined, cwd: string): SessionUpdate {
  const { title, outcome, display, accesses, explores } = pastCall({ call, answer }, (path) => path);
  const text = answer ? textOf(answer) : '';
  const shown = display ? contentOf(display, cwd) : [];
  return {
    sessionUpdate: 'tool_call',
    toolCallId: call.id,
    title,
    name: call.name,
    kind: kindOf(accesses, explores),
    status: outcome === 'done' ? 'completed' : 'failed',
    rawInput: call.input,
    content: shown.length > 0 || text === '' ? shown : [textContent(text)],
  };
}
