import type { Message, UserMessage } from '../contract/message.ts';

/** Whether the messages from here on are self-contained: no result is separated from its call. */
function isBoundary(messages: readonly Message[], at: number): boolean {
  return messages[at]?.role !== 'tool';
}

/** The nearest start of a turn at or before this index. */
export function turnStart(messages: readonly Message[], at: number): number {
  let start = Math.max(0, Math.min(at, messages.length));
  while (start > 0 && !isBoundary(messages, start)) start--;
  return start;
}

/** The start of the last turn: the last reply with its results, or a prompt without a reply yet. */
export function lastTurnStart(messages: readonly Message[]): number {
  return turnStart(messages, messages.length - 1);
}

/** Prompts sent during a run that are kept with the one that started it: the last ones. */
const KEEP_STEERING = 3;

/** The prompt of the run at this index, with those that were sent while it was going. */
export function promptBefore(messages: readonly Message[], at: number): UserMessage | null {
  const prompts: UserMessage[] = [];
  for (let i = at - 1; i >= 0; i--) {
    const message = messages[i];
    if (message?.role !== 'user') continue;
    prompts.unshift(message);
    if (messages[i - 1]?.role !== 'tool') break;
  }
  const [task, ...during] = prompts;
  if (!task || during.length === 0) return task ?? null;
  return {
    ...task,
    content: [...task.content, ...during.slice(-KEEP_STEERING).flatMap(({ content }) => content)],
  };
}

const KEEP_MESSAGES = 10;
/** In a small window ten messages may already fill it, and a compaction would gain nothing. */
const KEEP_IN_SMALL = 2;
const TOKENS_PER_KEPT = 1600;

/** How many messages a compaction keeps, by the size of the window. */
export function keptMessages(window: number): number {
  return Math.min(KEEP_MESSAGES, Math.max(KEEP_IN_SMALL, Math.floor(window / TOKENS_PER_KEPT)));
}

export type TailLimits = {
  /** Tokens for the tail; the last messages are kept even if they take more. */
  budget: number;
  count(message: Message): number;
  /** The minimum number of messages to keep; ten, unless the window is small. */
  keep?: number;
};

/** The tail starts with a turn, has at least ten messages if there are that many, and more if they fit. */
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
