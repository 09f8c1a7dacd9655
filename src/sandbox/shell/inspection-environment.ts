import path from 'node:path';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';
import type { ProgramPath } from './program-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that make a shell or a read-only program run other code, or read other files. */
const STEERING = [
  // bash: options and traces that run code, and the target of `cd`.
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

/** Exported shell functions. */
const FUNCTION = /^BASH_FUNC_/;

/** Files and folders of code or settings: removed if one of them could have been planted. */
const CODE_PATHS = [
  ...['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'GCONV_PATH', 'LOCPATH'],
  ...['DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'],
  ...['GIT_EXEC_PATH', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'XDG_CONFIG_HOME'],
  ...['DEVELOPER_DIR', 'GCC_EXEC_PREFIX', 'COMPILER_PATH'],
];
/** These name libraries that are searched in system folders, unless they contain a slash. */
const NAMES_LIBRARIES = ['LD_PRELOAD', 'LD_AUDIT'];

/**
 * Changes to the environment of a read-only command that runs without approval: nothing that the project, its
 * repository or an earlier command has planted runs with it. Undefined removes a variable.
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
  // On Windows it may be spelled Path.
  const paths = Object.keys(env).filter((name) => name.toUpperCase() === 'PATH');
  return {
    ...safeGitEnvironment(),
    ...Object.fromEntries(gone.map((name) => [name, undefined])),
    ...Object.fromEntries(paths.map((name) => [name, safe()])),
  };
}
