import type { ChatEvent } from '../../../../web/chat/connection.ts';

/**
 * What a view that opens later has to be told: the events of the session so far, without those that later ones
 * replace.
 */
export class EventLog {
  #connection: ChatEvent | null = null;
  #events: ChatEvent[] = [];

  add(event: ChatEvent): void {
    switch (event.type) {
      case 'connection':
        this.#connection = event;
        return;
      case 'session':
      case 'session_closed':
        this.#events = [event];
        return;
      // Of no interest later.
      case 'compose':
      case 'typing':
      case 'sessions_changed':
      case 'changes_changed':
        return;
      default: {
        const joined = joinedEvent(this.#events.at(-1), event);
        if (joined) this.#events[this.#events.length - 1] = joined;
        else this.#events.push(event);
      }
    }
  }

  all(): ChatEvent[] {
    return this.#connection ? [this.#connection, ...this.#events] : [...this.#events];
  }
}

/** Both as one event: text that goes on, or news of the same call. Null if they are not of one kind. */
function joinedEvent(last: ChatEvent | undefined, next: ChatEvent): ChatEvent | null {
  if (last?.type !== 'update' || next.type !== 'update') return null;
  const [before, after] = [last.update, next.update];
  if (
    (after.sessionUpdate === 'agent_message_chunk' || after.sessionUpdate === 'agent_thought_chunk') &&
    before.sessionUpdate === after.sessionUpdate &&
    before.messageId === after.messageId &&
    before.content.type === 'text' &&
    after.content.type === 'text'
  )
    return {
      ...next,
      update: { ...after, content: { ...after.content, text: before.content.text + after.content.text } },
    };
  if (
    after.sessionUpdate === 'tool_call_update' &&
    before.sessionUpdate === 'tool_call_update' &&
    before.toolCallId === after.toolCallId
  )
    return { ...next, update: { ...before, ...after } };
  return null;
}
