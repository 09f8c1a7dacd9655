import type { Message } from '../message.ts';
import type { Effort, EffortChoice } from './effort.ts';

type Asked = { messages: readonly Message[]; effort?: Effort; effortForNext?: EffortChoice };

/** The effort of a request after all changes; undefined for the vendor's default. */
export function effortNow({ messages, effort, effortForNext }: Asked): Effort | undefined {
  const now = effortForNext ?? lastEffort(messages) ?? effort;
  return now === 'default' ? undefined : now;
}

/**
 * The effort of a conversation before the first of the messages that are shown to the model. A compaction hides earlier
 * messages, and with them the changes that they record.
 */
export function effortBefore(all: readonly Message[], shown: readonly Message[]): Effort | undefined {
  const recorded = recordedEfforts(all);
  const hidden = recorded.length - recordedEfforts(shown).length;
  const first = all.find(({ role }) => role === 'user');
  const before = hidden > 0 ? recorded[hidden - 1] : first?.role === 'user' ? first.effort : undefined;
  return before === 'default' ? undefined : before;
}

/** The effort that a new prompt has to record: the chosen one, unless it is the one in effect. */
export function changedEffort(
  chosen: Effort | undefined,
  messages: readonly Message[],
): EffortChoice | undefined {
  const last = lastEffort(messages) ?? 'default';
  const next = chosen ?? 'default';
  return next === last ? undefined : next;
}

/** The effort that the messages record last. */
export function lastEffort(messages: readonly Message[]): EffortChoice | undefined {
  return recordedEfforts(messages).at(-1);
}

function recordedEfforts(messages: readonly Message[]): EffortChoice[] {
  return messages.flatMap((message) =>
    message.role === 'user' && message.effort !== undefined ? [message.effort] : [],
  );
}
