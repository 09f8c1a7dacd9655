import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';
import type { ShellLine, SimpleCommand } from './shell/shell-line.ts';
import { argsOf, programOf, unwrap } from './shell/wrappers.ts';

/**
 * Whether a line would run what the user blocked. Entries are compared word by word, never by substring:
 * `sudo` does not match `pseudo`. A single command blocks every command that starts with its words; a
 * pipeline blocks every pipeline that has such commands in that order.
 */
export function isBlocked(entry: string, text: string): boolean {
  if (entry.trim() === '') return false;
  if (entry.trim() === text.trim()) return true;
  const wanted = parseLine(entry).commands;
  const [first, ...others] = wanted;
  if (first === undefined || others.some(({ pipeline }) => pipeline !== first.pipeline)) return false;

  const line = parseLine(text);
  const reached = reach(line, { cwd: '.' });
  if (others.length === 0) return reached.some(({ command }) => beginsWith(command, first));
  return [line, ...reached.map((one) => one.line)].some((one) => hasPipeline(one, wanted));
}

function beginsWith(command: SimpleCommand, wanted: SimpleCommand): boolean {
  const args = argsOf(command);
  return (
    programOf(command) === programOf(wanted) && argsOf(wanted).every(({ text }, i) => args[i]?.text === text)
  );
}

function hasPipeline(line: ShellLine, wanted: SimpleCommand[]): boolean {
  const pipelines = new Set(line.commands.map(({ pipeline }) => pipeline));
  return [...pipelines].some((number) => {
    let found = 0;
    for (const command of line.commands) {
      const next = wanted[found];
      if (command.pipeline === number && next && beginsWith(unwrap(command), next)) found += 1;
    }
    return found === wanted.length;
  });
}
