import path from 'node:path';
import { isInside } from '../../lib/paths/inside.ts';
import type { SimpleCommand, Word } from '../../permissions/shell/shell-line.ts';
import { unwrap } from '../../permissions/shell/wrappers.ts';

/** Other characters could make a text of it, which must not become a fact about the project. */
const PLAIN = /^[\w:.@/=+,-]{1,60}$/;
const MAX_WORDS = 10;
const MAX_CHARS = 100;

/** What these set up is gone when the command runs again. */
const SETS_UP = new Set([
  'source',
  '.',
  'export',
  'pushd',
  'popd',
  'alias',
  'eval',
  'nvm',
  'conda',
  'module',
]);

/** Options that choose single tests. */
const CHOOSES =
  /^(-t|-k|-g|-m|-run|--run|--grep|--tests|--testNamePattern|--test-name-pattern|-Dtest|-Dit\.test)(=|$)/;
/** A single test, or a file that is not a description of the project. */
const SINGLE = /::|\.(?!(sln|csproj|fsproj|toml|json|ya?ml|xml|cfg|ini)$)[a-z]{1,5}$/i;

/**
 * A command of a line that ran in `folder` as it works again in `cwd`, with the program and the options as they were written; null if it does
 * not work alone, or ran only a part of what it checks.
 */
export function runnableLine(
  commands: readonly SimpleCommand[],
  at: number,
  { cwd, folder: from }: { cwd: string; folder: string },
): string | null {
  const folder = folderOf(commands.slice(0, at), { cwd, from });
  const written = commands[at];
  if (folder === null || !written) return null;
  const { assignments, words } = unwrap(written);
  const texts = [...assignments, ...words].map(plainText);
  if (texts.some((text) => text === null) || texts.length > MAX_WORDS) return null;
  const [program = '', ...args] = texts.slice(assignments.length) as string[];
  const isModule = args[0] === '-m' && /^py(thon3?)?$/.test(program);
  const isPart = args.some((arg, i) => (CHOOSES.test(arg) && !(isModule && i === 0)) || isSingle(arg));
  if (isPart) return null;
  const before = folder === '' ? [] : ['cd', folder, '&&'];
  const line = [...before, ...texts.slice(0, assignments.length), programIn(program, cwd), ...args].join(' ');
  return line.length > MAX_CHARS ? null : line;
}

function plainText({ text, opaque, variables }: Word): string | null {
  return opaque || variables.length > 0 || !PLAIN.test(text) ? null : text;
}

function isSingle(arg: string): boolean {
  return !arg.startsWith('-') && !/^\.{1,3}(\/|$)\.*$/.test(arg) && SINGLE.test(arg);
}

/** An absolute path works on this machine only, and in this copy of the project. */
function programIn(program: string, cwd: string): string {
  if (!path.isAbsolute(program)) return program;
  return isInside(cwd, program) ? `./${path.relative(cwd, program)}` : path.basename(program);
}

/** Where the next command runs, relative to `cwd`; null if that is elsewhere, or something else was set up for it. */
function folderOf(
  before: readonly SimpleCommand[],
  { cwd, from }: { cwd: string; from: string },
): string | null {
  let folder = from;
  for (const { name, words } of before) {
    if (SETS_UP.has(name)) return null;
    if (name !== 'cd') continue;
    const to = words.length === 2 && words[1] ? plainText(words[1]) : null;
    if (to === null || to === '-') return null;
    folder = path.resolve(folder, to);
  }
  if (!isInside(cwd, folder)) return null;
  const relative = path.relative(cwd, folder);
  return relative === '' || PLAIN.test(relative) ? relative : null;
}
