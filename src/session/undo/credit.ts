import path from 'node:path';
import { isInside } from '../../lib/paths/inside.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import type { Change } from './file-state.ts';
import type { Difference } from './tree-index.ts';

export type Command = { command: string; cwd: string };

/** A command that continues after its call has ended. */
export type BackgroundCommand = Command & { isRunning(): boolean };

/** Commands that ran in parallel: when the last one ended, and their total duration. */
export type CommandFacts = { commands: readonly Command[]; endedAt: number; ms: number };

/** Within this time a user cannot switch to an editor and save a file by chance. */
const SURE_WITHIN_MS = 1_000;
/** The file system's clock may be this far ahead of ours. */
const TICK_MS = 50;

/**
 * A file that differs after a command is evidence that the command changed it, not proof: the user or a
 * background program may have. It counts as proof if the command was short and alone, or names the path.
 */
export function credited(
  { at, ...change }: Difference,
  { facts, others }: { facts: CommandFacts; others: boolean },
): Change {
  const because = doubtOf({ ...change, at }, facts, others);
  return because === undefined ? change : { ...change, doubt: because };
}

function doubtOf(
  change: Difference,
  { commands, endedAt, ms }: CommandFacts,
  others: boolean,
): string | undefined {
  const { at } = change;
  if (at !== null && at > endedAt + TICK_MS) return 'it was changed after the command had ended';
  if (commands.some((command) => names(command, change))) return undefined;
  if (others) return 'a background command, or you, may have changed it';
  if (ms <= SURE_WITHIN_MS) return undefined;
  return `it was changed while a command ran (${elapsed(ms)}), perhaps by you`;
}

/**
 * What background commands have changed, by the run that started them. A change belongs to the command that
 * names the path, or else to the one that started last.
 */
export function creditedByRun(
  differences: readonly Difference[],
  commands: readonly (Command & { run: number })[],
): Map<number, Change[]> {
  const found = new Map<number, Change[]>();
  const latestFirst = commands.toReversed();
  for (const difference of differences) {
    const sure = latestFirst.find((one) => creditedInBackground(difference, one).doubt === undefined);
    const command = sure ?? latestFirst[0];
    if (!command) continue;
    found.set(command.run, [...(found.get(command.run) ?? []), creditedInBackground(difference, command)]);
  }
  return found;
}

/** What a background command has changed, as far as can be determined. */
function creditedInBackground({ at: _, ...change }: Difference, command: Command): Change {
  if (names(command, change)) return change;
  return { ...change, doubt: 'it was changed while a background command ran, perhaps by you' };
}

export function creditedLate({ at: _, ...change }: Difference): Change {
  return { ...change, doubt: 'the program ended before its command did, so you may have changed it since' };
}

/**
 * Whether a command mentions a path: by name, by a pattern, or, for created or removed entries, by the name
 * of a parent folder. The folder a command runs in does not count.
 */
function names({ command, cwd }: Command, { path: file, before, after }: Change): boolean {
  return wordsOf(command).some((word) => {
    const fixed = word.replace(/[*?[{].*$/s, '');
    const isPattern = fixed !== word;
    const named = path.resolve(cwd, isPattern ? path.dirname(`${fixed}x`) : word);
    if (named === file || (!isPattern && word.length > 1 && file.endsWith(path.sep + path.normalize(word))))
      return true;
    if (isInside(named, cwd)) return false;
    return (isPattern || before === null || after === null) && isInside(named, file);
  });
}

function wordsOf(command: string): string[] {
  return command.split(/[\s'"`;|&<>()=,:]+/).filter((word) => word !== '' && !/^\.*\/*$/.test(word));
}
