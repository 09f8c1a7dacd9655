import type { AgentEvent } from '../contract/event.ts';
import type { EventChannel } from '../lib/async/event-channel.ts';

/** How parts of a session notify its current and future listeners. */
export type Notify = {
  emit(event: AgentEvent): void;
  notice(level: 'info' | 'warn', text: string): void;
  info(text: string): void;
  warn(text: string): void;
};

export function notifier(events: EventChannel<AgentEvent>): Notify {
  const emit = (event: AgentEvent) => events.emit(event);
  const notice = (level: 'info' | 'warn', text: string) => emit({ type: 'notice', level, text });
  return { emit, notice, info: (text) => notice('info', text), warn: (text) => notice('warn', text) };
}
