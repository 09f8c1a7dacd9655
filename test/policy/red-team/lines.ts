import { execFileSync } from 'node:child_process';
import { readOnlyPrograms } from '../../../src/permissions/rules/read-only.ts';
import { readOnlyGit } from '../../../src/permissions/rules/read-only-git.ts';

/** What each line tries to smuggle past the option before it: a write, a program, a secret, a file outside. */
const PAYLOADS = [
  '--output=OUT',
  '-o OUT',
  '-- --output=OUT',
  'a.txt OUT',
  '1 OUT',
  'a OUT',
  '--no-index a.txt ../outside.txt',
  '--pre ./x.sh x',
  '--ext-diff',
  '-uu hunter',
  '../outside.txt',
  '-w ../outside.txt',
  '.env',
  '@list',
  '-r . sub',
  '. sub',
  '*',
];
/** Where a program needs words of its own before it does anything. */
const NEEDED: Readonly<Record<string, string>> = {
  grep: 'x',
  egrep: 'x',
  fgrep: 'x',
  rg: 'x',
  jq: '.',
  sed: '1p',
};
/** Wait, or print what is not in files. */
const SKIPPED = new Set(['sleep', ':', 'break', 'continue', 'exit', 'set', 'read', 'tty']);

/** So many letters of each program are tried before every other: in a short run, and in a long one. */
const CLUSTERED = { few: 6, all: 60 };

/** Builtins that assign, and programs that obey what was assigned. */
const ASSIGNERS = [
  ...["printf '%n' NAME", "printf 'ab%n' NAME", "printf '%5n' NAME", 'printf -v NAME 0', 'printf -vNAME 0'],
  ...[
    'read NAME < zero',
    'read -r NAME <<< 0',
    'getopts a NAME',
    'mapfile -t NAME < zero',
    'readarray NAME < zero',
  ],
  ...[
    'declare NAME=0',
    'typeset NAME=0',
    'export NAME=0',
    'readonly NAME=0',
    'let NAME=0',
    ': $' + '{NAME:=0}',
  ],
  ...['unset NAME', 'NAME=0', 'printf -v NAME %d 0', 'wait -p NAME', 'for NAME in 0; do :; done'],
];
const NAMES = ['PATH', 'HOME', 'IFS', 'BASH_ENV', 'http_proxy'];
const FOLLOWERS = ['ls', 'git diff', 'bash -c ls'];

/** Shapes of lines that no table of options yields. */
const SHAPES = [
  'cd only && du *',
  'cd only && wc *',
  'cd only && sort *',
  'cd only && cat *',
  'du only/*',
  'diff . sub',
  'diff sub .',
  'diff -y . sub',
  'git diff . sub',
  'strings -a @list',
  'git status --ignore-submodules=none',
  'git status --ignore-submodules=untracked',
  'git diff --ignore-submodules=none',
  'git diff --ignore-submodules=untracked',
  'git diff --submodule=diff',
  'git describe --dirty --always',
  'git describe --all --dirty',
  'git describe --broken',
  'rg hunter .',
  'find . -fprint OUT',
];

/** Whether a program in `names` begins the line, or a command in it. */
export function usesProgram(line: string, names: ReadonlySet<string>): boolean {
  return line.split(/ && |; /).some((command) => names.has(command.split(' ')[0] ?? ''));
}

/**
 * Every line to judge: each option of each program, in every spelling, before every payload. `documented` adds the
 * options of help texts and manual pages, which takes a minute to collect.
 */
export function redTeamLines({ documented }: { documented: boolean }): string[] {
  const programs = Object.entries(readOnlyPrograms).filter(([name]) => !SKIPPED.has(name));
  const git = Object.entries(readOnlyGit).map(([name, table]) => [`git ${name}`, table] as const);
  const lines = [...programs, ...git].flatMap(([name, table]) =>
    linesOf(
      name,
      [...tableOptions(table), ...(documented ? documentedOptions(name) : [])],
      documented ? CLUSTERED.all : CLUSTERED.few,
    ),
  );
  const assigned = ASSIGNERS.flatMap((one) =>
    NAMES.flatMap((name) => FOLLOWERS.map((next) => `${one.replace('NAME', name)}; ${next}`)),
  );
  return [...new Set([...lines, ...assigned, ...SHAPES])];
}

function linesOf(name: string, known: string[], clustered: number): string[] {
  const options = new Set(known);
  const letters = [...options].filter((option) => /^-\w$/.test(option)).map((option) => option.slice(1));
  const clusters = letters.slice(0, clustered).flatMap((first) => letters.map((last) => `-${first}${last}`));
  const needed = NEEDED[name] ? [`${NEEDED[name]} `, ''] : [''];
  return ['', ...options, ...clusters].flatMap((option) =>
    PAYLOADS.flatMap((payload) =>
      needed.map((word) => [name, option, `${word}${payload}`].filter((part) => part !== '').join(' ')),
    ),
  );
}

/** The options in a table, whatever its fields are called. */
function tableOptions(table: object): string[] {
  return Object.values(table).flatMap((field): string[] => {
    if (typeof field === 'string') return [...field].map((letter) => `-${letter}`);
    if (Array.isArray(field)) return field.map(asOption);
    return field !== null && typeof field === 'object' ? Object.keys(field).map(asOption) : [];
  });
}

function asOption(name: unknown): string {
  const text = String(name);
  if (text.startsWith('-')) return text;
  return text.length === 1 ? `-${text}` : `--${text}`;
}

/** The options that a program lists in its own help and manual page. */
function documentedOptions(name: string): string[] {
  const [program = '', sub] = name.split(' ');
  const page = sub === undefined ? program : `${program}-${sub}`;
  const help = output(program, sub === undefined ? ['--help'] : [sub, '-h']);
  const text = `${help}\n${output('man', ['-P', 'col -b', page])}`;
  const found = text.matchAll(/(?<=^|[\s,[|(])(--?[a-zA-Z][\w-]*)/gm);
  return [...new Set([...found].map(([, option = '']) => option))].filter((option) => option.length < 30);
}

function output(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
      env: { ...process.env, MANWIDTH: '200', MANROFFOPT: '-c', GIT_PAGER: 'cat' },
    });
  } catch (error) {
    // Many print their help with a failure.
    return String((error as { stdout?: unknown }).stdout ?? '');
  }
}
