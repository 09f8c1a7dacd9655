import type { CommandPart, Verdict } from '../contract/permission.ts';
import { repositoryPrograms } from '../lib/git-programs.ts';
import { classify } from '../permissions/shell/classify.ts';
import { loadGrammar } from '../permissions/shell/grammar.ts';
import type { Place } from '../permissions/shell/look.ts';
import { createGuard, type Guard } from '../sandbox/guard.ts';

/** Where a command would run; `trusted` lets the project's own scripts run. */
export type JudgeOptions = { cwd: string; home: string; trusted: boolean };

/** `rule` is what spoke: a built-in rule, or `default`. `parts` are the commands the line consists of. */
export type CommandVerdict = { verdict: Verdict; reason: string; rule: string; parts: CommandPart[] };

/** Loads the shell's grammar: `judgeCommand` works from then on. */
export const loadJudge: () => Promise<void> = loadGrammar;

/**
 * Judges a command line without running it: `allow` if it surely only looks at files in reach, `deny` if some part is
 * destructive in whatever spelling, `ask` otherwise. Rules and modes of the user are not part of it.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  return commandJudge(options)(line);
}

/** The same for many lines at one moment: what was looked up on the disk is not looked up again. */
export function commandJudge({ cwd, home, trusted }: JudgeOptions): (line: string) => CommandVerdict {
  const guard = createGuard({ cwd, home, additionalDirectories: [], blockedPaths: [], allowedPaths: [] });
  const fresh = commandPlace(guard, { cwd, home, trusted });
  const place = {
    ...fresh,
    isInside: remembered(fresh.isInside),
    mayRead: remembered(fresh.mayRead),
    gitRuns: remembered(fresh.gitRuns),
  };
  return (line) => {
    const { verdict, because, by, parts } = classify(line, place);
    return { verdict, reason: because, rule: by, parts };
  };
}

/** What the judge of commands may ask of the machine: where paths lead, and what a repository would run. */
export function commandPlace(
  guard: Guard,
  { cwd, home, trusted }: JudgeOptions,
): Required<Omit<Place, 'shell'>> {
  return {
    cwd,
    home,
    trusted,
    isInside: (file) => guard.isInside(file),
    mayRead: (file) => guard.allows(file, 'read'),
    gitRuns: repositoryPrograms,
  };
}

function remembered<Answer>(ask: (file: string) => Answer): (file: string) => Answer {
  const answers = new Map<string, Answer>();
  return (file) => {
    const known = answers.get(file);
    if (known !== undefined) return known;
    const answer = ask(file);
    answers.set(file, answer);
    return answer;
  };
}
