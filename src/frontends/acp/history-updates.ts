import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { pastCall } from '../../app/conversation/past-calls.ts';
import { type PastPart, pastParts } from '../../app/conversation/past-parts.ts';
import type { Message, ToolCallPart, ToolMessage } from '../../contract/message.ts';
import { textOf } from '../../contract/message.ts';
import type { CallDecision, Session } from '../../contract/session.ts';
import { contentOf, kindOf, textContent } from './tool-calls.ts';

const CHUNKS = {
  text: 'agent_message_chunk',
  thinking: 'agent_thought_chunk',
  end: 'agent_message_chunk',
} as const;

/** What is known of an update besides: who sent the prompt, and how its call was decided. */
export type PastUpdate = {
  update: SessionUpdate;
  by?: string | undefined;
  promptId?: string | undefined;
  decision?: CallDecision | undefined;
};

/** A saved conversation as the updates that an editor would have received. */
export function historyUpdates(
  {
    messages,
    decisions = {},
  }: { messages: readonly Message[]; decisions?: Session['decisions'] | undefined },
  cwd: string,
): PastUpdate[] {
  const answers = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  );
  return messages.flatMap((message, index) =>
    pastParts(message).flatMap((part, place): PastUpdate[] => {
      if (part.type === 'call') {
        const { id } = part.call;
        const decision = Object.hasOwn(decisions, id) ? decisions[id] : undefined;
        return [{ update: callUpdate(part.call, answers.get(id), cwd), decision }];
      }
      if (part.type === 'prompt') return promptUpdates(part, `earlier-${index}-${place}`);
      const messageId = part.type === 'end' ? `end-${index}` : `earlier-${index}`;
      const content = { type: 'text' as const, text: part.text };
      return [{ update: { sessionUpdate: CHUNKS[part.type], content, messageId } }];
    }),
  );
}

function promptUpdates(
  { text, images, sent }: Extract<PastPart, { type: 'prompt' }>,
  messageId: string,
): PastUpdate[] {
  const parts = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
  ];
  return parts.map((content) => ({
    update: { sessionUpdate: 'user_message_chunk', content, messageId },
    by: sent?.by,
    promptId: sent?.id,
  }));
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
