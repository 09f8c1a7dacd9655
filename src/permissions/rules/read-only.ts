/**
 * Programs that only look. Flags are listed when they are known to be harmless; any other flag, also a long one
 * cut short, makes the command one to ask about.
 *
 * - `short`: letters that may stand behind one dash, in any combination
 * - `long`: names behind two dashes, without a value's `=`
 * - `dash`: whole words behind one dash
 * - `numbers`: `-5`, `-n5`, `-L1,20` are harmless too
 * - `anyFlags`: the program prints what it does not know
 * - `operands`: `paths` are read; `pattern` is a pattern and then paths; `text` is only printed; `names` are paths
 *   whose content stays unread
 * - `patternBy`: flags that bring the pattern themselves, so that every operand is a path
 */
export type ReadOnlyProgram = {
  short?: string;
  long?: readonly string[];
  dash?: readonly string[];
  numbers?: true;
  anyFlags?: true;
  operands: 'paths' | 'names' | 'pattern' | 'text' | 'none';
  patternBy?: RegExp;
  maxOperands?: number;
};

export const GREP_LONG = [
  ...['ignore-case', 'line-number', 'count', 'files-with-matches', 'files-without-match', 'only-matching'],
  ...['extended-regexp', 'fixed-strings', 'perl-regexp', 'word-regexp', 'line-regexp', 'invert-match'],
  ...['context', 'after-context', 'before-context', 'max-count', 'with-filename', 'no-filename', 'quiet'],
  ...['color', 'colour', 'no-messages', 'include', 'exclude', 'exclude-dir'],
];

// No -r and no -f: a recursive grep also reads the hidden files in which secrets live.
export const grep: ReadOnlyProgram = {
  short: 'EFGPiIvwxcnlLoqhHsabAmBCe',
  long: GREP_LONG,
  numbers: true,
  operands: 'pattern',
  patternBy: /^-\w*e/,
};

export const readOnlyPrograms: Readonly<Record<string, ReadOnlyProgram>> = {
  basename: { short: 'as', operands: 'text' },
  cat: { short: 'nbsAeEtTuv', long: ['number', 'show-all', 'squeeze-blank'], operands: 'paths' },
  cmp: { short: 'bls', operands: 'paths' },
  comm: { numbers: true, operands: 'paths' },
  cut: { short: 'dfcbs', numbers: true, long: ['delimiter', 'fields', 'characters'], operands: 'paths' },
  date: { short: 'uR', long: ['utc', 'iso-8601', 'rfc-3339'], operands: 'none' },
  df: { short: 'hTikP', operands: 'names' },
  diff: {
    short: 'uqbBwiyaU',
    numbers: true,
    long: ['unified', 'brief', 'side-by-side', 'ignore-all-space', 'color'],
    operands: 'paths',
  },
  dirname: { operands: 'text' },
  du: {
    short: 'shackdm',
    numbers: true,
    long: ['max-depth', 'human-readable', 'summarize'],
    operands: 'names',
  },
  echo: { anyFlags: true, operands: 'text' },
  egrep: grep,
  false: { operands: 'none' },
  fgrep: grep,
  file: { short: 'bi', long: ['brief', 'mime-type', 'mime'], operands: 'paths' },
  find: {
    dash: [
      ...[
        '-name',
        '-iname',
        '-path',
        '-ipath',
        '-wholename',
        '-regex',
        '-iregex',
        '-type',
        '-maxdepth',
        '-mindepth',
      ],
      ...[
        '-size',
        '-empty',
        '-mtime',
        '-mmin',
        '-newer',
        '-not',
        '-and',
        '-or',
        '-a',
        '-o',
        '-prune',
        '-print',
      ],
      ...['-print0', '-ls', '-user', '-group', '-perm', '-executable', '-readable', '-quit', '-xdev'],
    ],
    numbers: true,
    operands: 'names',
  },
  grep,
  head: { short: 'ncqv', numbers: true, long: ['lines', 'bytes', 'quiet'], operands: 'paths' },
  ls: {
    short: 'aAlhF1dRrtSiscnogpqQmxCGkNuUvXZ',
    long: [
      'all',
      'almost-all',
      'color',
      'human-readable',
      'recursive',
      'reverse',
      'sort',
      'time',
      'time-style',
    ],
    operands: 'names',
  },
  md5sum: { short: 'bt', operands: 'paths' },
  nl: { short: 'ba', operands: 'paths' },
  // No -v: it sets a variable, such as the path that finds the next command.
  printf: { operands: 'text' },
  pwd: { short: 'LP', operands: 'none' },
  readlink: { short: 'fenm', operands: 'names' },
  realpath: { short: 'em', long: ['relative-to'], operands: 'names' },
  rev: { operands: 'paths' },
  // No -L, -u, -z, -f, --hidden, --no-ignore, --pre: they reach hidden files, other folders or other programs.
  rg: {
    short: 'inNwvclFHISsoqxmABCgtTUePpr0jM',
    long: [
      ...GREP_LONG,
      ...['files', 'type', 'type-not', 'glob', 'iglob', 'smart-case', 'case-sensitive', 'count-matches'],
      ...[
        'multiline',
        'multiline-dotall',
        'json',
        'stats',
        'heading',
        'no-heading',
        'sort',
        'max-depth',
        'pcre2',
      ],
      ...['trim', 'column', 'vimgrep', 'no-line-number', 'replace', 'type-list', 'max-columns', 'sortr'],
    ],
    numbers: true,
    operands: 'pattern',
    patternBy: /^(-\w*e|--files$|--type-list$)/,
  },
  sha1sum: { short: 'bt', operands: 'paths' },
  sha256sum: { short: 'bt', operands: 'paths' },
  // No -o, -T, -S: they write.
  sort: {
    short: 'nrufkbhdVtgMsc',
    numbers: true,
    long: [
      'numeric-sort',
      'reverse',
      'unique',
      'key',
      'field-separator',
      'human-numeric-sort',
      'version-sort',
    ],
    operands: 'paths',
  },
  // It waits; that is no harm, and a run has its own limit.
  sleep: { operands: 'text' },
  stat: { short: 'cfLt', long: ['format', 'printf'], operands: 'names' },
  tac: { operands: 'paths' },
  // No -f: it never ends.
  tail: { short: 'ncqv', numbers: true, long: ['lines', 'bytes', 'quiet'], operands: 'paths' },
  tr: { short: 'dscCt', operands: 'text' },
  tree: {
    short: 'adfhsLIPCDpF',
    numbers: true,
    long: ['dirsfirst', 'noreport', 'gitignore'],
    operands: 'names',
  },
  true: { operands: 'none' },
  uname: { short: 'asrmpnov', operands: 'none' },
  // A second operand is an output file.
  uniq: { short: 'cduiw', operands: 'paths', maxOperands: 1 },
  wc: { short: 'lwcmL', long: ['lines', 'words', 'bytes', 'chars'], operands: 'paths' },
  which: { short: 'a', operands: 'text' },
  whoami: { operands: 'none' },
};

/** Whole command lines, by their words, that need no table. */
export const readOnlyLines: readonly string[] = [
  ...['node --version', 'node -v', 'npm --version', 'npm -v', 'python --version', 'python3 --version'],
  ...[
    'git --version',
    'git stash list',
    'git tag',
    'git tag --list',
    'git tag -l',
    'git branch --show-current',
  ],
];

/** A project's own scripts: harmless only in a project the user trusts. Those that run without end are not here. */
export const projectScripts: readonly string[] = [
  ...['npm test', 'npm t', 'npm run test', 'npm run build', 'npm run lint'],
];
