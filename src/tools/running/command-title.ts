const MAX_LENGTH = 80;

/** A command as a title: its first line, shortened and without control characters. */
export function commandTitle(command: string): string {
  const [first = '', ...rest] = command.trim().split(/\r\n|\r|\n/);
  const line = first.replaceAll(/\p{Cc}/gu, ' ').trim();
  if (line.length <= MAX_LENGTH) return rest.length === 0 ? line : `${line} …`;
  return `${Array.from(line)
    .slice(0, MAX_LENGTH - 2)
    .join('')} …`;
}
