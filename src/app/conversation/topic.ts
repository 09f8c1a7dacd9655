import type { Session } from '../../contract/session.ts';

const MOST_CHARACTERS = 60;

/** What a session is about: its title, or else the first line of its first prompt. Empty for a new one. */
export function topicOf({ title, messages }: Pick<Session, 'title' | 'messages'>): string {
  const prompt = messages.find(({ role }) => role === 'user');
  // Text before the prompt itself was added for the model.
  const typed = prompt?.content.findLast((part) => part.type === 'text')?.text ?? '';
  const [line = ''] = (title ?? typed).trim().split('\n');
  const characters = [...line.trim()];
  if (characters.length <= MOST_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
