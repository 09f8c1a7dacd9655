import type { SimpleCommand, Word } from './shell-line.ts';

/** Variables that hold no secret and may be printed. */
const HARMLESS = new Set([
  ...[
    'HOME',
    'PWD',
    'OLDPWD',
    'USER',
    'LOGNAME',
    'SHELL',
    'PATH',
    'LANG',
    'LC_ALL',
    'TERM',
    'HOSTNAME',
    'EDITOR',
  ],
  ...[
    'TMPDIR',
    'UID',
    'EUID',
    'PPID',
    'RANDOM',
    'SECONDS',
    'LINENO',
    'BASH_VERSION',
    'SHLVL',
    'NODE_ENV',
    'CI',
    'TZ',
  ],
  ...[
    'HOSTTYPE',
    'OSTYPE',
    'MACHTYPE',
    'COLUMNS',
    'LINES',
    'EPOCHSECONDS',
    'VIRTUAL_ENV',
    'PIPESTATUS',
    'XDG_CONFIG_HOME',
  ],
]);

/**
 * Whether a word may be printed: only harmless variables are expanded, and substitutions judged elsewhere.
 */
export function isPrintable({ opaque, variables }: Word, command: SimpleCommand): boolean {
  return (
    !opaque &&
    variables.every(
      (name) => HARMLESS.has(name) || /^[0-9@*#?$!-]+$/.test(name) || command.set.includes(name),
    )
  );
}
