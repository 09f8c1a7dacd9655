import { promptText } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';

const MOST_CHARACTERS = 60;

/** What a session is about: its title, or else the first line of its first prompt. Empty for a new one. */
export function topicOf({ title, messages }: Pick<Session, 'title' | 'messages'>): string {
  const prompt = messages.find((message) => message.role === 'user');
  const [line = ''] = (title ?? (prompt ? promptText(prompt) : '')).trim().split('\n');
  const characters = [...line.trim()];
  if (characters.length <= MOST_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
