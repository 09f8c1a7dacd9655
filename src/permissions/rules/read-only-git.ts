import { GREP_LONG, list, type ReadOnlyProgram, type Told, texts } from './read-only-program.ts';

const SHOW_LONG = list(
  'shortstat numstat summary name-only name-status patch no-patch',
  'no-color minimal patience histogram ignore-all-space no-prefix',
  'ignore-space-change ignore-blank-lines no-ext-diff',
  'no-textconv raw function-context no-renames full-index compact-summary',
  'patch-with-stat pickaxe-all pickaxe-regex text',
  'ignore-space-at-eol',
);
const SHOW_OPTIONAL = list(
  'M C B stat dirstat word-diff color abbrev find-renames find-copies color-words relative',
);
const SHOW_ATTACHED = list('U unified diff-filter diff-algorithm stat-width inter-hunk-context');
const LOG_LONG = [
  ...SHOW_LONG,
  ...list(
    'oneline graph all no-decorate follow reverse merges no-merges boundary',
    'first-parent abbrev-commit topo-order date-order relative-date',
    'no-abbrev-commit left-right cherry-pick cherry full-history simplify-by-decoration',
    'source author-date-order all-match invert-grep regexp-ignore-case',
    'clear-decorations cc walk-reflogs count ancestry-path',
    'no-expand-tabs parents',
  ),
];
const LOG_OPTIONAL = [...SHOW_OPTIONAL, ...list('decorate branches tags remotes no-walk pretty')];
const LOG_ATTACHED = [...SHOW_ATTACHED, ...list('format glob exclude min-parents max-parents decorate-refs')];
const LOG_VALUES = {
  ...texts('n S G since until after before author committer grep date max-count skip'),
  // A line range and its file.
  L: 'path' as const,
};

/** With one of these, branches and tags are listed and none is created. */
const LISTING = ['contains', 'no-contains', 'merged', 'no-merged', 'points-at'];

/** `%G` runs a program to verify signatures. */
function verifiesNothing({ values, operands }: Told): string | null {
  const formats = [...(values.format ?? []), ...(values.pretty ?? []), ...operands];
  return formats.some((format) => format.includes('%G')) ? 'runs a program to check signatures' : null;
}

const log: ReadOnlyProgram = {
  short: 'pisuwzabcmgE',
  single: true,
  numbers: true,
  long: LOG_LONG,
  optional: LOG_OPTIONAL,
  attached: LOG_ATTACHED,
  values: LOG_VALUES,
  operands: 'paths',
  refuses: verifiesNothing,
};

/**
 * Read-only subcommands of git. No --output, --ext-diff, --textconv, --no-index, --show-signature, -O, -c.
 */
export const readOnlyGit: Readonly<Record<string, ReadOnlyProgram>> = {
  blame: {
    short: 'wesltfcnb',
    single: true,
    optional: list('M C abbrev'),
    attached: list('since date'),
    values: texts('L'),
    long: list('root show-name show-number show-email porcelain line-porcelain color-lines'),
    operands: 'paths',
  },
  branch: {
    short: 'arvq',
    long: [...LISTING, ...list('list all remotes show-current verbose no-color ignore-case')],
    optional: list('color column abbrev'),
    values: texts('sort format'),
    operands: 'none',
    listedBy: [...LISTING, ...list('list')],
  },
  'cat-file': { short: 'tspe', single: true, operands: 'paths' },
  'check-ignore': { short: 'vqn', long: list('verbose quiet non-matching no-index'), operands: 'names' },
  'count-objects': { short: 'vH', operands: 'none' },
  describe: {
    // No --dirty: it looks into submodules.
    long: list('tags all long always exact-match contains first-parent'),
    optional: ['abbrev'],
    values: texts('match exclude candidates'),
    operands: 'paths',
  },
  diff: {
    short: 'pubwsRza',
    single: true,
    optional: SHOW_OPTIONAL,
    attached: SHOW_ATTACHED,
    long: [...SHOW_LONG, ...list('cached staged check merge-base exit-code quiet')],
    operands: 'paths',
  },
  'for-each-ref': {
    values: texts('format sort count contains merged points-at'),
    operands: 'text',
    refuses: ({ values }) =>
      /%\(signature|%\(.*trailers:/.test(values.format?.join(' ') ?? '')
        ? 'runs a program to check signatures'
        : null,
  },
  grep: {
    short: 'EFGPiIvwcnlLoqhHap',
    long: [
      ...GREP_LONG.filter((name) => !/regexp$|filename$/.test(name)),
      ...list('extended-regexp fixed-strings perl-regexp word-regexp'),
      ...list('cached show-function function-context name-only heading break column text'),
    ],
    optional: ['color'],
    values: texts('A B C e context after-context before-context max-depth'),
    numbers: true,
    operands: 'pattern',
    patternBy: ['e'],
  },
  log,
  'ls-files': {
    short: 'cdmostzvuk',
    long: list('cached modified deleted others exclude-standard stage full-name error-unmatch', 'unmerged'),
    values: texts('x exclude'),
    operands: 'names',
  },
  'ls-tree': {
    short: 'rtdlz',
    long: list('name-only name-status full-tree full-name long'),
    optional: ['abbrev'],
    operands: 'names',
  },
  'merge-base': {
    short: 'a',
    single: true,
    long: list('all octopus is-ancestor fork-point'),
    operands: 'names',
  },
  'name-rev': { long: list('tags name-only always'), operands: 'names' },
  'rev-list': {
    single: true,
    numbers: true,
    long: list('count all reverse first-parent no-merges merges oneline left-right objects'),
    values: texts('n max-count since until after before author grep skip'),
    operands: 'names',
  },
  'rev-parse': {
    short: 'q',
    single: true,
    optional: list('abbrev-ref short'),
    long: list(
      'show-toplevel verify is-inside-work-tree git-dir show-prefix quiet',
      'is-bare-repository absolute-git-dir git-common-dir show-cdup symbolic-full-name all',
    ),
    operands: 'names',
  },
  shortlog: {
    short: 'sne',
    single: true,
    dash: list('-sn -ns -se -ne -sne -nse'),
    long: list('summary numbered email all no-merges'),
    attached: list('since until after before author'),
    operands: 'paths',
  },
  show: log,
  'show-ref': {
    short: 'dsq',
    long: list('heads tags head dereference verify'),
    optional: list('hash abbrev'),
    operands: 'text',
  },
  status: {
    short: 'sbvz',
    optional: list('u porcelain untracked-files ignored column find-renames'),
    long: list('short branch long verbose show-stash no-renames', 'ahead-behind no-ahead-behind no-column'),
    operands: 'names',
  },
  // A second operand would set it.
  'symbolic-ref': { short: 'q', long: list('short quiet'), operands: 'text', maxOperands: 1 },
  tag: {
    short: 'l',
    optional: list('n column'),
    long: [...LISTING, ...list('list ignore-case')],
    values: texts('sort format'),
    operands: 'none',
    listedBy: [...LISTING, ...list('l list')],
  },
  whatchanged: log,
};
