import path from 'node:path';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';
import type { ProgramPath } from './program-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** By these a shell or a program that only looks would run something else, or look elsewhere. */
const STEERING = [
  // bash: options and traces that run code, and where `cd` leads.
  ...['SHELLOPTS', 'BASHOPTS', 'PS4', 'CDPATH', 'BASH_LOADABLES_PATH'],
  ...['RIPGREP_CONFIG_PATH', 'GREP_OPTIONS', 'LESSOPEN', 'LESSCLOSE', 'MAGIC'],
  // `node --version`, `java -version` and the like.
  ...[
    'NODE_OPTIONS',
    'JAVA_TOOL_OPTIONS',
    'JDK_JAVA_OPTIONS',
    '_JAVA_OPTIONS',
    'PERL5OPT',
    'PERL5DB',
    'RUBYOPT',
  ],
  ...['PHPRC', 'PHP_INI_SCAN_DIR'],
];

/** Functions that a shell hands on to its children. */
const FUNCTION = /^BASH_FUNC_/;

/** Files and folders of code or settings: left out where one of them could have been planted. */
const CODE_PATHS = [
  ...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'GCONV_PATH', 'LOCPATH'],
  ...['DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'],
  ...['GIT_EXEC_PATH', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'XDG_CONFIG_HOME'],
  ...['DEVELOPER_DIR', 'GCC_EXEC_PREFIX', 'COMPILER_PATH'],
];
/** These name libraries that are looked for in the system's folders, unless they have a slash. */
const NAMES_LIBRARIES = ['LD_PRELOAD', 'LD_AUDIT'];

/**
 * What differs in the environment of a command that runs unasked because it only looks: nothing that the project, its
 * repository or an earlier command has put there runs with it. Undefined stands for a variable it must not find.
 */
export function inspectionEnvironment(
  env: Env,
  { safe, isChangeable }: Pick<ProgramPath, 'safe' | 'isChangeable'>,
): Record<string, string | undefined> {
  const leads = (name: string) =>
    (env[name] ?? '')
      .split(NAMES_LIBRARIES.includes(name) ? /[:\s]/ : path.delimiter)
      .some((part) => (NAMES_LIBRARIES.includes(name) && !part.includes('/') ? false : isChangeable(part)));
  const gone = Object.keys(env).filter(
    (name) => STEERING.includes(name) || FUNCTION.test(name) || (CODE_PATHS.includes(name) && leads(name)),
  );
  // On Windows it may be written Path.
  const paths = Object.keys(env).filter((name) => name.toUpperCase() === 'PATH');
  return {
    ...safeGitEnvironment(),
    ...Object.fromEntries(gone.map((name) => [name, undefined])),
    ...Object.fromEntries(paths.map((name) => [name, safe()])),
  };
}
