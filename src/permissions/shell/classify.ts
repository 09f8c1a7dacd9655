import type { CommandPart, Judgement } from '../../contract/permission.ts';
import { type CommandRule, commandRules } from '../rules/commands.ts';
import { irreversibleBecause } from '../rules/irreversible.ts';
import { joinLooks, judgeLook, type Place } from './look.ts';
import type { Look } from './look-result.ts';
import { parseLine } from './parse.ts';
import { type Reached, reach } from './reach.ts';
import { readsAlike } from './reads-alike.ts';
import type { ShellLine, SimpleCommand } from './shell-line.ts';

/**
 * `by` is the built-in deny rule that matched; `reads` are the paths that an allowed line names; `parts` are
 * the commands of the line, each judged separately. `onlyReads`: it is allowed for that reason alone.
 */
export type Classified = Judgement & {
  by: string;
  reads: string[];
  parts: CommandPart[];
  /** Allowed because it certainly only reads; a script of a trusted project does not count. */
  onlyReads?: true;
};

const MAX_PARTS = 200;
const ONLY_READS = 'only reads';
const PROJECT_SCRIPT = "runs the project's own script";

/**
 * Allow: every command of the line certainly only reads permitted files. Deny: some command is forbidden in
 * whatever spelling. Everything else, and anything not understood, asks. Pure except for the lookups of
 * `place`.
 */
export function classify(text: string, place: Place): Classified {
  const line = parseLine(text);
  const reached = reach(line, place);
  const rules = new Map<SimpleCommand, CommandRule>();
  for (const one of reached) {
    const rule = rules.has(one.written) ? undefined : commandRules.find((known) => known.matches(one));
    if (rule !== undefined) rules.set(one.written, rule);
  }
  const looks = new Map(line.commands.map((command) => [command, judgeLook(command, place)]));
  const lookOf = (command: SimpleCommand) => looks.get(command) ?? judgeLook(command, place);
  const parts = partsOf(line, { rules, reached, lookOf });
  const rule = commandRules.find((known) => [...rules.values()].includes(known));
  if (rule !== undefined) {
    return { verdict: 'deny', because: rule.because, by: `built-in ${rule.name}`, reads: [], parts };
  }
  const look = joinLooks(line, lookOf);
  if (look.type === 'unsure')
    return {
      verdict: 'ask',
      because: irreversibleBecause(reached) ?? look.because,
      by: 'default',
      reads: [],
      parts,
    };
  if (!readsAlike(text, place.shell))
    return {
      verdict: 'ask',
      because: `${place.shell} may parse it differently`,
      by: 'default',
      reads: [],
      parts,
    };
  const allowed = { verdict: 'allow' as const, by: 'default', reads: look.reads, parts };
  return look.runsScript
    ? { ...allowed, because: PROJECT_SCRIPT }
    : { ...allowed, because: ONLY_READS, onlyReads: true };
}

type Found = {
  rules: Map<SimpleCommand, CommandRule>;
  reached: Reached[];
  lookOf(command: SimpleCommand): Look;
};

/** The commands as written; those passed to another shell as text are included if they are forbidden. */
function partsOf(line: ShellLine, { rules, reached, lookOf }: Found): CommandPart[] {
  const written = [...allCommands(line)];
  const hidden = reached
    .map((one) => one.written)
    .filter((command) => rules.has(command) && !written.includes(command));
  return [...new Set([...written, ...hidden])]
    .filter(({ source }) => source.trim() !== '')
    .slice(0, MAX_PARTS)
    .map((command): CommandPart => {
      // Spans of nested commands are relative to the text they were parsed from.
      const span = line.commands.includes(command) && command.span ? { span: command.span } : {};
      const part = { text: command.source, ...span };
      const rule = rules.get(command);
      if (rule !== undefined) return { ...part, verdict: 'deny', because: rule.because };
      const look = lookOf(command);
      return look.type === 'unsure'
        ? { ...part, verdict: 'ask', because: look.because }
        : { ...part, verdict: 'allow', because: look.runsScript ? PROJECT_SCRIPT : ONLY_READS };
    });
}

function* allCommands(line: ShellLine): Generator<SimpleCommand> {
  for (const command of line.commands) {
    yield command;
    for (const inner of command.nested) yield* allCommands(inner);
  }
}
