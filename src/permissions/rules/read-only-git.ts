import { GREP_LONG, GREP_VALUES, list, type ReadOnlyProgram, type Told, texts } from './read-only-program.ts';

const SHOW_LONG = list(
  'stat shortstat numstat dirstat summary name-only name-status patch no-patch',
  'word-diff color no-color minimal patience histogram ignore-all-space no-prefix',
  'ignore-space-change ignore-blank-lines abbrev find-renames find-copies no-ext-diff',
  'no-textconv raw function-context no-renames full-index compact-summary color-words',
  'ignore-submodules relative patch-with-stat pickaxe-all pickaxe-regex text',
  'ignore-space-at-eol',
);
const SHOW_VALUES = texts('U S G unified diff-filter diff-algorithm stat-width inter-hunk-context');
const LOG_LONG = [
  ...SHOW_LONG,
  ...list(
    'oneline graph all decorate no-decorate follow reverse merges no-merges boundary',
    'first-parent abbrev-commit branches tags remotes topo-order date-order relative-date',
    'no-abbrev-commit left-right cherry-pick cherry full-history simplify-by-decoration',
    'source author-date-order all-match invert-grep regexp-ignore-case no-color',
    'clear-decorations cc pretty decorate-refs walk-reflogs count no-walk ancestry-path',
    'no-expand-tabs parents',
  ),
];
const LOG_VALUES = {
  ...SHOW_VALUES,
  ...texts('n since until after before author committer grep format date max-count'),
  ...texts('skip exclude glob min-parents max-parents'),
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
  glued: 'MCB',
  numbers: true,
  long: LOG_LONG.filter((name) => name !== 'pretty'),
  values: { ...LOG_VALUES, ...texts('pretty') },
  operands: 'paths',
  refuses: verifiesNothing,
};

/**
 * Read-only subcommands of git. No --output, --ext-diff, --textconv, --no-index, --show-signature, -O, -c.
 */
export const readOnlyGit: Readonly<Record<string, ReadOnlyProgram>> = {
  blame: {
    short: 'wesltfcnb',
    glued: 'MC',
    values: texts('L date since'),
    long: list('root show-name show-number show-email porcelain line-porcelain color-lines abbrev'),
    operands: 'paths',
  },
  branch: {
    short: 'arvq',
    long: [
      ...LISTING,
      ...list('list all remotes show-current verbose no-color color ignore-case column abbrev'),
    ],
    values: texts('sort format'),
    operands: 'none',
    listedBy: [...LISTING, ...list('list')],
  },
  'cat-file': { short: 'tspe', operands: 'paths' },
  'check-ignore': { short: 'vqn', long: list('verbose quiet non-matching no-index'), operands: 'names' },
  'count-objects': { short: 'vH', operands: 'none' },
  describe: {
    long: list('tags all long always dirty exact-match contains first-parent abbrev'),
    values: texts('match exclude candidates'),
    operands: 'paths',
  },
  diff: {
    short: 'pubwsRza',
    glued: 'MCB',
    numbers: true,
    values: SHOW_VALUES,
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
    short: 'EFGPiIvwxcnlLoqhHap',
    long: [...GREP_LONG, ...list('cached show-function function-context name-only heading break column')],
    values: { ...GREP_VALUES, ...texts('max-depth') },
    numbers: true,
    operands: 'pattern',
    patternBy: ['e', 'regexp'],
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
    long: list('name-only name-status full-tree full-name long abbrev'),
    operands: 'names',
  },
  'merge-base': { short: 'a', long: list('all octopus is-ancestor fork-point'), operands: 'names' },
  'name-rev': { long: list('tags name-only always'), operands: 'names' },
  'rev-list': {
    numbers: true,
    long: list('count all reverse first-parent no-merges merges oneline left-right objects'),
    values: texts('n max-count since until after before author grep skip'),
    operands: 'names',
  },
  'rev-parse': {
    short: 'q',
    long: list(
      'show-toplevel abbrev-ref short verify is-inside-work-tree git-dir show-prefix quiet',
      'is-bare-repository absolute-git-dir git-common-dir show-cdup symbolic-full-name all',
    ),
    operands: 'names',
  },
  shortlog: {
    short: 'sne',
    long: list('summary numbered email all no-merges'),
    values: texts('since until after before author'),
    operands: 'paths',
  },
  show: log,
  'show-ref': {
    short: 'dsq',
    long: list('heads tags head hash abbrev dereference verify'),
    operands: 'text',
  },
  status: {
    short: 'sbvz',
    glued: 'u',
    long: list(
      'short branch porcelain untracked-files ignored long verbose show-stash no-renames',
      'ahead-behind no-ahead-behind column no-column find-renames ignore-submodules',
    ),
    operands: 'names',
  },
  // A second operand would set it.
  'symbolic-ref': { short: 'q', long: list('short quiet'), operands: 'text', maxOperands: 1 },
  tag: {
    short: 'l',
    glued: 'n',
    long: [...LISTING, ...list('list column ignore-case')],
    values: texts('sort format'),
    operands: 'none',
    listedBy: [...LISTING, ...list('l list')],
  },
  whatchanged: log,
};
