import { GREP_LONG, grep, type ReadOnlyProgram } from './read-only.ts';

const SHOW_LONG = [
  ...['stat', 'shortstat', 'numstat', 'dirstat', 'summary', 'name-only', 'name-status', 'patch', 'no-patch'],
  ...['unified', 'word-diff', 'color', 'no-color', 'minimal', 'patience', 'histogram', 'ignore-all-space'],
  ...['ignore-space-change', 'ignore-blank-lines', 'abbrev', 'find-renames', 'diff-filter', 'no-ext-diff'],
  ...['no-textconv', 'raw', 'function-context', 'no-renames', 'full-index', 'compact-summary'],
];
const LOG_LONG = [
  ...SHOW_LONG,
  ...[
    'oneline',
    'graph',
    'all',
    'decorate',
    'no-decorate',
    'since',
    'until',
    'after',
    'before',
    'author',
    'committer',
  ],
  ...['grep', 'format', 'pretty', 'date', 'max-count', 'skip', 'follow', 'reverse', 'merges', 'no-merges'],
  ...[
    'first-parent',
    'abbrev-commit',
    'branches',
    'tags',
    'remotes',
    'topo-order',
    'date-order',
    'relative-date',
  ],
];

/** Subcommands of git that only look. No --output, --ext-diff, --textconv, --no-index, --show-signature, -O, -c. */
export const readOnlyGit: Readonly<Record<string, ReadOnlyProgram>> = {
  blame: { short: 'LwCMesl', numbers: true, operands: 'paths' },
  branch: {
    short: 'arv',
    long: ['list', 'all', 'remotes', 'show-current', 'verbose', 'no-color'],
    operands: 'none',
  },
  describe: { long: ['tags', 'all', 'long', 'always', 'abbrev'], operands: 'paths' },
  diff: {
    short: 'pubwUMBRz',
    numbers: true,
    long: [...SHOW_LONG, 'cached', 'staged', 'check', 'merge-base', 'exit-code', 'quiet'],
    operands: 'paths',
  },
  grep: { ...grep, long: [...GREP_LONG, 'cached', 'show-function'], short: 'EFGPiIvwxcnlLoqhHaAmBCe' },
  log: { short: 'pnSGLiUM', numbers: true, long: LOG_LONG, operands: 'paths' },
  'ls-files': {
    short: 'cdmosz',
    long: [
      'cached',
      'modified',
      'deleted',
      'others',
      'exclude-standard',
      'stage',
      'full-name',
      'error-unmatch',
    ],
    operands: 'names',
  },
  'ls-tree': { short: 'rtdlz', long: ['name-only', 'full-tree', 'long'], operands: 'names' },
  'rev-list': {
    numbers: true,
    short: 'n',
    long: ['count', 'all', 'max-count', 'since', 'until'],
    operands: 'names',
  },
  'rev-parse': {
    long: ['show-toplevel', 'abbrev-ref', 'short', 'verify', 'is-inside-work-tree', 'git-dir', 'show-prefix'],
    operands: 'names',
  },
  shortlog: { short: 'sne', long: ['summary', 'numbered', 'email', 'since', 'until'], operands: 'paths' },
  show: { short: 'pUsM', numbers: true, long: [...LOG_LONG], operands: 'paths' },
  status: {
    short: 'sbuz',
    long: [
      'short',
      'branch',
      'porcelain',
      'untracked-files',
      'ignored',
      'long',
      'verbose',
      'show-stash',
      'no-renames',
    ],
    operands: 'names',
  },
};
