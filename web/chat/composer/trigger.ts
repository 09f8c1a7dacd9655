/** A word before the caret that completes to something; it begins at `start`. */
export type Trigger = { type: 'file' | 'command'; query: string; start: number };

/** `@` at the beginning of a word names a file, `/` at the beginning of the prompt a command. */
export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { type: 'command', query: command[1] ?? '', start: 0 };
  const file = /(?:^|[\s([{"'])@(\S*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? '';
  return { type: 'file', query, start: caret - query.length - 1 };
}

/** The text with the word replaced, and where the caret is then. The rest of the word after the caret goes with it. */
export function complete(
  text: string,
  { start, query, type }: Trigger,
  value: string,
): { text: string; caret: number } {
  const sign = type === 'file' ? '@' : '/';
  const end = start + 1 + query.length;
  const rest = text.slice(end).replace(/^\S+/, '');
  // A folder is followed by what is in it.
  const gap = value.endsWith('/') || /^\s/.test(rest) ? '' : ' ';
  const head = `${text.slice(0, start)}${sign}${value}${gap}`;
  return { text: head + rest, caret: head.length };
}

/** Those whose name begins with the query, then those that contain it. */
export function matchCommands<Command extends { name: string }>(
  commands: readonly Command[],
  query: string,
): Command[] {
  const wanted = query.toLowerCase();
  const place = ({ name }: Command) => name.toLowerCase().indexOf(wanted);
  return commands
    .filter((command) => place(command) >= 0)
    .sort((a, b) => Math.min(1, place(a)) - Math.min(1, place(b)));
}
