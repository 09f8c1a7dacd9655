import { loadGrammar } from '../../permissions/shell/grammar.ts';
import { parseLine } from '../../permissions/shell/parse.ts';
import type { SimpleCommand } from '../../permissions/shell/shell-line.ts';
import { argsOf, programOf, unwrap } from '../../permissions/shell/wrappers.ts';
import {
  checkPrograms,
  programRunners,
  scriptRunners,
  targetRunners,
  targets,
  valueOptions,
} from './check-table.ts';
import { runnableLine } from './runnable-line.ts';

/** A command that tested, built or linted, such as `npm test`. A null exit code means that it was stopped. */
export type Check = { name: string; exitCode: number | null };

/** A command of `--check`: how often it ran, and the end of its last output. */
export type RequiredCheck = Check & { required: true; attempts: number; output: string };

/** `folder`: where it ran, if not in the working directory. */
type Ran = { command: string; exitCode: number | null; folder?: string };

/** Syntax that may run a command any number of times, or turn its outcome around. */
const COMPOUND = /(^|[\s;&|])(if|for|while|until|case|function|!|\{)(?=\s)|\(/;

/** The last known outcome of each check in these commands, by its name for people. */
export async function checksIn(commands: readonly Ran[]): Promise<Check[]> {
  return lastOutcomes(commands, ({ name }) => name);
}

/** The same, by the line that runs it again in `cwd`; without those that would not. */
export async function runnableChecksIn(commands: readonly Ran[], cwd: string): Promise<Check[]> {
  return lastOutcomes(commands, ({ line, at }, { folder = cwd }) => runnableLine(line, at, { cwd, folder }));
}

async function lastOutcomes(
  commands: readonly Ran[],
  nameFor: (found: Outcome, ran: Ran) => string | null,
): Promise<Check[]> {
  if (commands.length === 0) return [];
  await loadGrammar();
  const outcomes = new Map<string, number | null>();
  for (const ran of commands) {
    for (const found of outcomesIn(ran.command, ran.exitCode)) {
      const name = nameFor(found, ran);
      if (name === null) continue;
      // Where its outcome cannot be told, an earlier one no longer counts.
      outcomes.delete(name);
      if (found.outcome !== 'unknown') outcomes.set(name, found.outcome);
    }
  }
  return Array.from(outcomes, ([name, exitCode]) => ({ name, exitCode }));
}

/** `at`: which of the commands of the line it is. */
type Outcome = {
  name: string;
  line: readonly SimpleCommand[];
  at: number;
  outcome: number | null | 'unknown';
};

/** What the exit code of a line says about the checks it runs. */
function outcomesIn(line: string, exitCode: number | null): Outcome[] {
  const { commands, doubts } = parseLine(line);
  const checks = commands.map((command) => checkName(unwrap(command)));
  const unclear = doubts.length > 0 || COMPOUND.test(line);
  const last = lastList(commands, /\bset\b.*\bpipefail\b/.test(line));
  const decided = unclear ? [] : last.filter((i) => checks[i] !== null);
  // Of several in a row, the last has not passed, and nothing is known about the others.
  const known = exitCode === 0 ? decided : decided.slice(-1);
  return checks.flatMap((name, at): Outcome[] =>
    name === null ? [] : [{ name, line: commands, at, outcome: known.includes(at) ? exitCode : 'unknown' }],
  );
}

/** The commands at the end of a line that all succeeded if the line did: joined by `&&`, and not piped on. */
function lastList(commands: readonly SimpleCommand[], pipefail: boolean): number[] {
  const found: number[] = [];
  for (let i = commands.length - 1; i >= 0; i--) {
    const { next, background } = commands[i] ?? {};
    if (background || next === '||') return next === '||' ? [] : found;
    if (i < commands.length - 1 && next !== '&&' && next !== '|') return found;
    if (next !== '|' || pipefail) found.unshift(i);
  }
  return found;
}

/** The name of a check for people; null for any other command. */
function checkName(command: SimpleCommand): string | null {
  return nameOf([programOf(command), ...argsOf(command).map(({ text }) => text)]);
}

function nameOf([program = '', ...args]: readonly string[]): string | null {
  if (args.includes('--version') || args.includes('--help')) return null;
  const runner = programRunners.find(([name, word]) => name === program && (!word || word === args[0]));
  if (runner) {
    const rest = args.slice(runner.length - 1);
    const at = rest.findIndex((arg) => !arg.startsWith('-'));
    return at === -1 ? null : nameOf([rest[at]?.split('/').at(-1) ?? '', ...rest.slice(at + 1)]);
  }
  const [first, second] = operandsOf(args);
  if (Object.hasOwn(scriptRunners, program)) return scriptName(program, first, second);
  if (targetRunners.has(program)) {
    if (first === undefined) return program;
    return isTarget(first) ? `${program} ${first}` : null;
  }
  const known = Object.hasOwn(checkPrograms, program) ? checkPrograms[program] : undefined;
  if (known === 'any') return program;
  const word = known?.find((one) => (one.startsWith('-') ? args.includes(one) : isNamed(first, one)));
  return word === undefined ? null : `${program} ${word.startsWith('-') ? word : first}`;
}

function scriptName(program: string, first = '', second = ''): string | null {
  const { runs, direct } = scriptRunners[program] ?? { runs: [], direct: [] };
  if (runs.includes(first)) return isTarget(second) ? `${program} ${first} ${second}` : null;
  if (direct.some((one) => isNamed(first, one)))
    return `${program} ${first === 't' || first === 'tst' ? 'test' : first}`;
  // `yarn vitest` runs an installed program.
  return program === 'yarn' || program === 'pnpm' ? nameOf([first]) : null;
}

/** A name with other characters is a text, which must not become a fact about the project. */
const NAME = /^[\w:.@/-]{1,60}$/;

function isTarget(name: string): boolean {
  return NAME.test(name) && targets.has(name.split(/[:.]/)[0] ?? '');
}

function isNamed(word: string | undefined, name: string): boolean {
  return word === name || (word?.startsWith(`${name}:`) === true && NAME.test(word));
}

/** Words that are not options, and not the values of known ones. */
function operandsOf(args: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (valueOptions.has(arg)) i++;
    else if (!arg.startsWith('-') && !/^\w+=/.test(arg) && !/^\+/.test(arg)) found.push(arg);
  }
  return found;
}
