import type { AssistantMessage, Message } from '../contract/message.ts';

/** Repeated messages are the identical objects, for caches keyed by object. */
const plainReplies = new WeakMap<AssistantMessage, AssistantMessage>();

/** A message as it is sent in an epoch that it was not made in: without the model's reasoning and its signatures. */
export function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const known = plainReplies.get(message) ?? plainReply(message);
  plainReplies.set(message, known);
  return known;
}

function plainReply(message: AssistantMessage): AssistantMessage {
  if (!message.content.some((part) => part.type === 'thinking' || part.signature !== undefined))
    return message;
  const content = message.content.flatMap((part) => {
    // A progress note is meant for people.
    if (part.type === 'thinking') return part.note ? [{ type: 'text' as const, text: part.text }] : [];
    const { signature: _, ...plain } = part;
    return [plain];
  });
  return { ...message, content };
}
