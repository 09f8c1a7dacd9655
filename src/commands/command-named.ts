/**
 * The command that is meant by a name: the one of that name, or the only one with that name in a folder. Other
 * assistants also write `project:` or `user:` before it.
 */
export function commandNamed<Command extends { name: string }>(
  written: string,
  commands: readonly Command[],
): Command | undefined {
  const name = written.toLowerCase();
  const short = name.replace(/^(project|user):/, '');
  const exact = [name, short].map((wanted) => commands.find((one) => one.name.toLowerCase() === wanted));
  const inFolders = commands.filter((one) => one.name.toLowerCase().endsWith(`:${short}`));
  return exact[0] ?? exact[1] ?? (inFolders.length === 1 ? inFolders[0] : undefined);
}
