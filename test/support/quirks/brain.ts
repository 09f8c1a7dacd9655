/** A model small enough to be a function: it answers the probe's questions and does one task with tools. */

export type Heard = { role: string; text: string };
export type Thought = { text: string; calls: { name: string; input: Record<string, unknown> }[] };

export type Question = {
  messages: Heard[];
  /** Whether tools were given through the protocol or described in the prompt. */
  canCall: boolean;
  hasSchema: boolean;
  /** Text beyond this many characters is forgotten, oldest first. */
  remembers: number;
};

export const TASK = 'Copy the word in a.txt to b.txt.';

export function think({ messages, canCall, hasSchema, remembers }: Question): Thought {
  const all = messages.map(({ text }) => text).join('\n');
  const last = messages.at(-1)?.text ?? '';
  const says = (text: string): Thought => ({ text, calls: [] });
  const calls = (...list: Thought['calls']): Thought => ({ text: '', calls: list });
  const color = (name: string) => ({ name: 'report_color', input: { color: name } });

  if (last.includes('Count from 1 to 20')) return says(Array.from({ length: 20 }, (_, i) => i + 1).join(' '));
  if (last.includes('three plus four')) return says(hasSchema ? '{"sum": 7}' : 'Seven.');
  if (last.includes('What is the secret word')) {
    return says(all.slice(-remembers).includes('secret word is MARIGOLD') ? 'MARIGOLD' : 'I do not know.');
  }
  if (last.includes('Reported.')) return says('It is reported.');
  if (!canCall) return says('I have no tools, so I can only talk.');
  if (last.includes('twice in one reply')) return calls(color('red'), color('green'));
  if (last.includes('with the color blue')) return calls(color('blue'));
  if (all.includes(TASK)) {
    const word = /1\t(\w+)/.exec(all)?.[1];
    if (word === undefined) return calls({ name: 'Read', input: { file_path: 'a.txt' } });
    if (!/b\.txt/.test(last) && !/Wrote|written|Created|created/i.test(last))
      return calls({ name: 'Write', input: { file_path: 'b.txt', content: word } });
    return says(`Copied ${word}.`);
  }
  return says('I do not understand.');
}
