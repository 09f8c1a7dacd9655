import { type Message, promptText, type UserMessage } from '../contract/message.ts';
import { withoutMemory } from '../memory/block.ts';

/** A prompt in a conversation: its message index and first line. */
export type Prompt = { message: number; at: string; line: string };

const LINE_LENGTH = 60;

/** What the user sent, without what the program wrote itself, such as the report of a failed check. */
export function promptsOf(messages: readonly Message[]): Prompt[] {
  const firstMarked = messages.findIndex((message) => message.role === 'user' && isUsers(message));
  // Journals of older versions do not say who wrote a prompt.
  const isUnknown = (i: number) => firstMarked < 0 || i < firstMarked;
  return messages.flatMap((message, i) =>
    message.role === 'user' && (isUsers(message) || isUnknown(i))
      ? [{ message: i, at: message.timestamp, line: firstLineOf(message) }]
      : [],
  );
}

function isUsers({ content }: UserMessage): boolean {
  return content.some((part) => part.type === 'image' || part.typed !== undefined || part.sent !== undefined);
}

/** The prompt with this number, counted from 1, or null. */
export function promptNumbered(written: string, messages: readonly Message[]): Prompt | null {
  return /^\d+$/.test(written) ? (promptsOf(messages)[Number(written) - 1] ?? null) : null;
}

/** A prompt as people are shown it, without notes from memory. What counts as typed is `typedText` of the contract. */
export function shownText(message: UserMessage): string {
  return withoutMemory(promptText(message));
}

function firstLineOf(message: UserMessage): string {
  return shortened(shownText(message).trim().split('\n')[0] ?? '');
}

function shortened(line: string): string {
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line;
}
