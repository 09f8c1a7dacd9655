import type { Message } from '../contract/message.ts';

/** Whether messages from here on can stand alone: no answer is parted from its call. */
function isBoundary(messages: readonly Message[], at: number): boolean {
  return messages[at]?.role !== 'tool';
}

/** The nearest place at or before this one where a turn begins. */
export function turnStart(messages: readonly Message[], at: number): number {
  let start = Math.max(0, Math.min(at, messages.length));
  while (start > 0 && !isBoundary(messages, start)) start--;
  return start;
}

/** Where the last turn begins: the last reply and what answers it, or a prompt that has no reply yet. */
export function lastTurnStart(messages: readonly Message[]): number {
  return turnStart(messages, messages.length - 1);
}

const KEEP_MESSAGES = 10;
/** In a small window ten messages may be all there is room for, and nothing would be gained by a compaction. */
const KEEP_IN_SMALL = 2;
const TOKENS_PER_KEPT = 1600;

/** How many messages a compaction leaves alone, by the size of the window. */
export function keptMessages(window: number): number {
  return Math.min(KEEP_MESSAGES, Math.max(KEEP_IN_SMALL, Math.floor(window / TOKENS_PER_KEPT)));
}

export type TailLimits = {
  /** Tokens that the tail may take; the last messages are kept even if they take more. */
  budget: number;
  count(message: Message): number;
  /** How many messages are kept in any case; ten, unless the window is small. */
  keep?: number;
};

/** The tail begins with a turn, has at least ten messages where there are so many, and more as far as they fit. */
export function tailStart(
  messages: readonly Message[],
  { budget, count, keep = KEEP_MESSAGES }: TailLimits,
): number {
  const least = turnStart(messages, messages.length - keep);
  let start = least;
  let tokens = messages.slice(least).reduce((sum, message) => sum + count(message), 0);
  for (let at = least - 1; at >= 0; at--) {
    const message = messages[at];
    if (message) tokens += count(message);
    if (tokens > budget) break;
    if (isBoundary(messages, at)) start = at;
  }
  return start;
}
