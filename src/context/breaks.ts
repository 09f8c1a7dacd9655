import type { AssistantMessage, Message, UserMessage } from '../contract/message.ts';

/** Repeated messages are the identical objects, for caches keyed by object. */
const unfolded = new WeakMap<AssistantMessage, { before: Message | undefined; messages: Message[] }>();

/**
 * The messages as a model saw them: where a reply broke off and the program asked for the rest, these are a reply, a
 * prompt and another reply.
 */
export function unfoldBreaks(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(hasBreak)) return messages;
  const shown: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant' || !hasBreak(message)) {
      shown.push(message);
      continue;
    }
    const before = shown.at(-1);
    const known = unfolded.get(message);
    const pieces = known && known.before === before ? known.messages : unfold(message, before);
    unfolded.set(message, { before, messages: pieces });
    // An empty reply leaves nothing between two prompts, and some models refuse two in a row.
    if (pieces[0]?.role === 'user' && before?.role === 'user') shown.pop();
    shown.push(...pieces);
  }
  return shown;
}

function hasBreak(message: Message): boolean {
  return message.role === 'assistant' && message.content.some(({ continues }) => continues !== undefined);
}

function unfold(message: AssistantMessage, before: Message | undefined): Message[] {
  const pieces: Message[] = [];
  let content: AssistantMessage['content'] = [];
  const close = () => {
    if (content.length > 0) pieces.push({ ...message, content });
    content = [];
  };
  for (const { continues, ...part } of message.content) {
    if (continues !== undefined) {
      close();
      pieces.push(promptAfter(pieces.at(-1) ?? before, continues, message.timestamp));
    }
    // The rest is not there yet.
    if (part.type === 'text' && part.text === '' && continues !== undefined) continue;
    content.push(part);
  }
  close();
  return pieces;
}

function promptAfter(before: Message | undefined, text: string, timestamp: string): UserMessage {
  const asked: UserMessage['content'] = [{ type: 'text', text }];
  return before?.role === 'user'
    ? { ...before, content: [...before.content, ...asked] }
    : { role: 'user', content: asked, timestamp };
}
