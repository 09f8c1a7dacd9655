import path from 'node:path';
import type { CommandPart, Verdict } from '../../contract/permission.ts';
import { oncePerTurn } from '../../lib/async/once-per-turn.ts';
import { filesBelow } from '../../lib/files/below.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { peek } from '../../lib/files/peek.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { isObject, parseJson } from '../../lib/text/json.ts';
import { classify } from '../../permissions/shell/classify.ts';
import { loadGrammar } from '../../permissions/shell/grammar.ts';
import type { Disk, Place } from '../../permissions/shell/look.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import { createGuard, type Guard } from '../../sandbox/guard.ts';
import { repositoryPrograms } from '../../sandbox/repository.ts';
import { createProgramPath, type ProgramPath } from '../../sandbox/shell/program-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where a command would run; `trusted` allows the project's own scripts. `env` is the environment it would
 * run with: its PATH determines which programs are meant, and programs in the project are not mistaken for
 * the system's.
 */
export type JudgeOptions = { cwd: string; home: string; trusted: boolean; env?: Env };

/** `rule` is the rule that matched: a built-in one, or `default`. `parts` are the commands in the line. */
export type CommandVerdict = { verdict: Verdict; reason: string; rule: string; parts: CommandPart[] };

/** More files than this are not looked through before a search. */
const MAX_SEARCHED = 20_000;

/** Larger files are data, not keys. */
const MAX_KEY = 100_000;
/** Programs and their documents may show what a key looks like. */
const CODE = /\.([cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|swift|sh|md|rst|html)$/i;
const KEY =
  /-----BEGIN [A-Z ]*PRIVATE KEY( BLOCK)?-----|"private_key(_id)?"\s*:\s*"|"type"\s*:\s*"(service_account|external_account|authorized_user)"|AGE-SECRET-KEY-1|PuTTY-User-Key-File/;

/** Loads the shell grammar, which `judgeCommand` requires. */
export const loadJudge: () => Promise<void> = loadGrammar;

/**
 * Judges a command line without running it: `allow` if it certainly only reads permitted files, `deny` if any
 * part is destructive in whatever spelling, `ask` otherwise. Ignores the user's rules and modes.
 */
export function judgeCommand(line: string, options: JudgeOptions): CommandVerdict {
  return commandJudge(options)(line);
}

/** The same for many lines at once: file system lookups are cached. */
export function commandJudge(options: JudgeOptions): (line: string) => CommandVerdict {
  const { cwd, home, env } = options;
  const guard = createGuard({ cwd, home, additionalDirectories: [], blockedPaths: [], allowedPaths: [] });
  const programs = env && commandPrograms(guard, { cwd, home, env, writablePaths: [] });
  const fresh = commandPlace(guard, { ...options, ...(programs && { programs }) });
  const place = {
    ...fresh,
    isInside: remembered(fresh.isInside),
    mayRead: remembered(fresh.mayRead),
    gitRuns: remembered(fresh.gitRuns),
    disk: {
      kindOf: remembered(fresh.disk.kindOf),
      hasOptionNames: remembered(fresh.disk.hasOptionNames),
      filesBelow: remembered(fresh.disk.filesBelow),
      scriptOf: remembered(fresh.disk.scriptOf),
      holdsKey: remembered(fresh.disk.holdsKey),
    },
    plantedProgram: remembered(fresh.plantedProgram),
  };
  return (line) => {
    const { verdict, because, by, parts } = classify(line, place);
    return { verdict, reason: because, rule: by, parts };
  };
}

type Programs = { cwd: string; home: string; env: Env; writablePaths: readonly string[] };

/** The programs that commands would run, and which of them commands can change. */
export function commandPrograms(guard: Guard, { cwd, home, env, writablePaths }: Programs): ProgramPath {
  const folderOf = (written: string) => realPath(resolvePath(written, cwd, { HOME: home }));
  return createProgramPath({
    env,
    isWritable: (real) =>
      guard.isInside(real) || writablePaths.some((written) => isInside(folderOf(written), real)),
  });
}

/** What the command judge can query: where paths and names resolve to, and what a repository would run. */
export function commandPlace(
  guard: Guard,
  { cwd, home, trusted, env = {}, programs }: JudgeOptions & { programs?: Pick<ProgramPath, 'planted'> },
): Required<Omit<Place, 'shell' | 'walls'>> {
  return {
    cwd,
    home,
    trusted,
    isInside: (file) => guard.isInside(file),
    mayRead: (file) => guard.allows(file, 'read'),
    gitRuns: oncePerTurn((folder: string) => repositoryPrograms(folder, { HOME: home, ...env })),
    disk,
    plantedProgram: (name, folder) => programs?.planted(name, folder) ?? null,
  };
}

const disk: Disk = {
  kindOf: (file) => (peek.file(file) !== null ? 'file' : peek.folder(file) !== null ? 'folder' : null),
  hasOptionNames(folder) {
    const { files = [], folders = [] } = peek.folder(folder) ?? {};
    return [...files, ...folders].some((name) => name.startsWith('-'));
  },
  filesBelow: (folder) => filesBelow(folder, MAX_SEARCHED),
  scriptOf(folder, name) {
    const manifest = parseJson(peek.text(path.join(folder, 'package.json')));
    const scripts = isObject(manifest) && isObject(manifest.scripts) ? manifest.scripts : {};
    const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    return typeof script === 'string' ? script : null;
  },
  holdsKey(file) {
    const size = peek.file(file)?.size ?? 0;
    return size > 0 && size <= MAX_KEY && !CODE.test(file) && KEY.test(peek.text(file));
  },
};

function remembered<Words extends string[], Answer>(ask: (...words: Words) => Answer): typeof ask {
  const answers = new Map<string, Answer>();
  return (...words) => {
    const key = words.join('\0');
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(...words);
    answers.set(key, answer);
    return answer;
  };
}
