import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { pastCall } from '../../app/conversation/past-calls.ts';
import { typedText } from '../../commands/prompts.ts';
import type { AssistantMessage, Message, ToolMessage } from '../../contract/message.ts';
import { textOf } from '../../contract/message.ts';
import { contentOf, textContent } from './tool-calls.ts';

/** A saved conversation as the updates that an editor would have received. */
export function historyUpdates(messages: readonly Message[], cwd: string): SessionUpdate[] {
  const answers = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  );
  return messages.flatMap((message, index): SessionUpdate[] => {
    const messageId = `earlier-${index}`;
    if (message.role === 'user') {
      const text = typedText(message).trim();
      const content = { type: 'text' as const, text };
      return text === '' ? [] : [{ sessionUpdate: 'user_message_chunk', content, messageId }];
    }
    if (message.role === 'tool') return [];
    return message.content.flatMap((part) => partUpdates(part, { messageId, answers, cwd }));
  });
}

type Parts = { messageId: string; answers: ReadonlyMap<string, ToolMessage>; cwd: string };

function partUpdates(part: AssistantMessage['content'][number], parts: Parts): SessionUpdate[] {
  const { messageId, answers, cwd } = parts;
  if (part.type === 'tool_call') return [callUpdate(part, answers.get(part.id), cwd)];
  if (part.text.trim() === '') return [];
  const sessionUpdate = part.type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
  return [{ sessionUpdate, content: { type: 'text', text: part.text }, messageId }];
}

function callUpdate(
  call: Extract<AssistantMessage['content'][number], { type: 'tool_call' }>,
  answer: ToolMessage | undefined,
  cwd: string,
): SessionUpdate {
  const { title, outcome, display } = pastCall({ call, answer }, (path) => path);
  const text = answer ? textOf(answer) : '';
  const shown = display ? contentOf(display, cwd) : [];
  return {
    sessionUpdate: 'tool_call',
    toolCallId: call.id,
    title,
    name: call.name,
    status: outcome === 'done' ? 'completed' : 'failed',
    rawInput: call.input,
    content: shown.length > 0 || text === '' ? shown : [textContent(text)],
  };
}
