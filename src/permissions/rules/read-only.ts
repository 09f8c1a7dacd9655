import { formatsText, isPlainVariable, namesNoHost, readsNoList } from './read-only-arguments.ts';
import { GREP_LONG, GREP_VALUES, list, type ReadOnlyProgram, texts } from './read-only-program.ts';
import {
  choosesSources,
  countsLines,
  filterLooks,
  printsColumns,
  printsLines,
  recursionLooks,
  setsHarmless,
} from './read-only-scripts.ts';

// A recursive grep also reads hidden files, where secrets are kept, so it must name the files it wants. No
// -f.
const grep: ReadOnlyProgram = {
  short: 'EFGPiIvwxcnlLoqhHsabyzr',
  long: [
    ...GREP_LONG,
    ...list('recursive null no-ignore-case line-regexp silent no-messages basic-regexp text'),
  ],
  optional: list('color colour'),
  values: { ...GREP_VALUES, ...texts('include exclude exclude-dir label') },
  numbers: true,
  operands: 'pattern',
  patternBy: ['e', 'regexp'],
  searches: recursionLooks,
};

const digest: ReadOnlyProgram = { short: 'bt', long: list('binary text tag zero'), operands: 'paths' };
const nothing: ReadOnlyProgram = { operands: 'none' };

const head: ReadOnlyProgram = {
  short: 'qvz',
  values: texts('n c lines bytes'),
  numbers: true,
  long: list('quiet silent verbose'),
  operands: 'paths',
  refuses: countsLines,
};

export const readOnlyPrograms: Readonly<Record<string, ReadOnlyProgram>> = {
  ':': { anyFlags: true, operands: 'text', expands: true },
  arch: nothing,
  awk: { values: texts('F'), single: true, operands: 'pattern', refuses: printsColumns },
  b2sum: digest,
  basename: {
    short: 'az',
    values: texts('s suffix'),
    long: list('multiple'),
    operands: 'text',
    expands: true,
  },
  break: { operands: 'text' },
  cat: {
    short: 'nbsAeEtTuv',
    long: list('number number-nonblank show-all show-ends show-tabs squeeze-blank'),
    operands: 'paths',
  },
  cksum: { operands: 'paths' },
  cmp: { short: 'bls', values: texts('n i'), long: list('silent quiet verbose'), operands: 'paths' },
  column: { short: 't', values: texts('s o c N'), long: list('table'), operands: 'paths' },
  comm: { short: '123', long: list('total nocheck-order check-order'), operands: 'paths' },
  continue: { operands: 'text' },
  cut: {
    short: 'sz',
    long: list('only-delimited complement'),
    values: texts('d f c b delimiter fields characters bytes output-delimiter'),
    operands: 'paths',
  },
  date: {
    short: 'uR',
    optional: list('I iso-8601'),
    long: list('utc universal rfc-email'),
    values: texts('d date rfc-3339'),
    operands: 'none',
  },
  df: { short: 'hHTikPal', long: list('human-readable inodes total'), operands: 'names' },
  // No -r: it also reads hidden files.
  diff: {
    short: 'uqbBwiyaNEtTdsep',
    values: texts('U C W width label'),
    optional: list('unified context color'),
    long: list(
      'brief side-by-side ignore-all-space ignore-case text',
      'ignore-blank-lines ignore-space-change suppress-common-lines report-identical-files',
      'minimal',
    ),
    operands: 'paths',
  },
  dirname: { short: 'z', operands: 'text', expands: true },
  du: {
    short: 'shackmxlbS',
    values: texts('d max-depth t threshold exclude'),
    long: list('human-readable summarize apparent-size all total bytes'),
    operands: 'names',
  },
  echo: { anyFlags: true, operands: 'text', expands: true },
  egrep: grep,
  exit: { operands: 'text' },
  expr: { anyFlags: true, operands: 'text' },
  false: nothing,
  fgrep: grep,
  // No -C, -f, -m, -z: they write, read lists of names, or start programs.
  file: { short: 'bihkLN', long: list('brief mime mime-type mime-encoding'), operands: 'paths' },
  find: {
    dash: list(
      '-P -empty -not -and -or -a -o -prune -print -print0 -ls -executable -readable',
      '-writable -quit -xdev -mount -depth -true -false -daystart -nouser',
    ),
    values: {
      ...texts('-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype'),
      ...texts('-type -xtype -maxdepth -mindepth -size -mtime -mmin -ctime -cmin -atime'),
      ...texts('-amin -user -group -perm -links -inum -printf -newermt -lname -uid -gid'),
      '-newer': 'path',
      '-samefile': 'path',
    },
    operands: 'names',
  },
  fold: { short: 'sb', values: texts('w width'), long: list('spaces'), operands: 'paths' },
  getconf: { operands: 'text' },
  grep,
  groups: nothing,
  head,
  hexdump: { short: 'bcCdovx', values: texts('n s'), operands: 'paths' },
  // No -F and no operand: they set the host name.
  hostname: { short: 'sfiId', operands: 'none' },
  id: { short: 'unGgrz', long: list('user group groups name real'), operands: 'text' },
  jq: {
    short: 'rcesSMCna',
    long: list('raw-output compact-output sort-keys slurp exit-status tab color-output', 'monochrome-output'),
    values: texts('indent'),
    operands: 'pattern',
    refuses: filterLooks,
  },
  ls: {
    short: 'aAlhHF1dRrtSiscnogpqQmxCGkNuUvXZbBfL',
    optional: list('color classify hyperlink'),
    values: texts('ignore hide width sort time time-style format indicator-style'),
    long: list(
      'all almost-all human-readable recursive reverse directory',
      'inode size file-type full-time group-directories-first no-group',
      'numeric-uid-gid si quote-name dereference zero',
    ),
    operands: 'names',
  },
  lscpu: nothing,
  // No -r, -K: what is listed stays as it is, and no name of a host is looked up.
  lsof: { short: 'nPtU', optional: ['i'], values: texts('p c u'), operands: 'names', refuses: namesNoHost },
  md5sum: digest,
  nl: { short: 'p', values: texts('b f h v i n s w d l'), operands: 'paths' },
  nproc: { long: list('all'), operands: 'none' },
  od: { short: 'abcdfiloshxv', optional: ['w'], values: texts('A j N t'), operands: 'paths' },
  paste: { short: 'sz', values: texts('d delimiters'), operands: 'paths' },
  // No -v: it sets a variable, such as PATH.
  pgrep: { short: 'lafxonvcA', values: texts('u U P g'), operands: 'text' },
  printf: { operands: 'text', expands: true, refuses: formatsText },
  pwd: { short: 'LP', operands: 'none' },
  read: {
    short: 'rs',
    values: texts('d n t'),
    operands: 'text',
    refuses: ({ operands }) => (operands.every(isPlainVariable) ? null : 'sets a shell variable'),
  },
  readlink: { short: 'fenmqsz', long: list('canonicalize no-newline'), operands: 'names' },
  realpath: {
    short: 'emsqzLP',
    values: { 'relative-to': 'path', 'relative-base': 'path' },
    operands: 'names',
  },
  rev: { operands: 'paths' },
  // No -L, -u, -z, -f, --hidden, --no-ignore, --pre: they reach hidden files, other folders or other
  // programs.
  rg: {
    short: 'inNwvclFHISsoqxUPp0',
    values: {
      ...GREP_VALUES,
      ...texts('g t T r j M E glob iglob type type-not replace max-depth color'),
      ...texts('max-columns sort sortr threads max-filesize encoding'),
    },
    long: [
      ...GREP_LONG,
      ...list(
        'files line-regexp text no-messages smart-case case-sensitive count-matches multiline multiline-dotall json stats',
        'heading no-heading pcre2 trim column vimgrep no-line-number type-list null pretty',
        'no-config include-zero passthru crlf byte-offset no-ignore-messages',
      ),
    ],
    numbers: true,
    operands: 'pattern',
    patternBy: ['e', 'regexp', 'files', 'type-list'],
    searches: choosesSources,
  },
  // Other scripts can write files and run programs.
  sed: {
    short: 'nErus',
    long: list('quiet silent regexp-extended posix unbuffered'),
    values: texts('e expression'),
    operands: 'pattern',
    patternBy: ['e', 'expression'],
    refuses: printsLines,
  },
  seq: {
    short: 'w',
    values: texts('s f separator format'),
    long: list('equal-width'),
    operands: 'text',
  },
  set: { short: 'eu', values: texts('o'), operands: 'none', refuses: setsHarmless },
  sha1sum: digest,
  sha224sum: digest,
  sha256sum: digest,
  sha384sum: digest,
  sha512sum: digest,
  // Waiting is harmless, and a run has its own limit.
  sleep: { operands: 'text' },
  // No -o, -T, --compress-program, --files0-from, --random-source.
  sort: {
    short: 'nrufbhdVgMscizRmC',
    values: texts('k t S key field-separator buffer-size parallel'),
    optional: ['check'],
    long: list(
      'numeric-sort reverse unique human-numeric-sort version-sort ignore-case stable',
      'general-numeric-sort month-sort zero-terminated ignore-leading-blanks',
      'dictionary-order merge',
    ),
    operands: 'paths',
  },
  // No -f, -t, -x: versions differ in what follows them.
  stat: { short: 'L', values: texts('c format printf'), operands: 'names' },
  strings: { short: 'a', values: texts('n t e'), operands: 'paths', refuses: readsNoList },
  // No -K, which closes sockets, no -D and -F, which name files, and no filter, which may name a host to look up.
  ss: { short: 'tulnpaemoisxH460', operands: 'none' },
  sum: { operands: 'paths' },
  sw_vers: nothing,
  tac: { operands: 'paths' },
  // No -f: it never ends.
  tail: head,
  tr: {
    short: 'dscCt',
    long: list('delete squeeze-repeats complement truncate-set1'),
    operands: 'text',
  },
  // No -o, and no -R and -H, which write pages. A letter with a value shares its dash with no other.
  tree: {
    short: 'adfhsCDpFNQugirtcvASnJX',
    attached: ['sort'],
    values: texts('-L -I -P --filelimit --timefmt'),
    long: list('dirsfirst noreport gitignore prune du filesfirst si matchdirs ignore-case'),
    operands: 'names',
  },
  true: nothing,
  tty: { short: 's', operands: 'none' },
  type: { short: 'tapP', operands: 'text' },
  uname: { short: 'asrmpnovi', long: list('all kernel-name kernel-release machine'), operands: 'none' },
  // A second operand is an output file.
  uniq: {
    short: 'cduiDz',
    values: texts('w f s skip-fields skip-chars check-chars'),
    long: list('count repeated unique ignore-case'),
    operands: 'paths',
    maxOperands: 1,
  },
  uptime: { short: 'ps', operands: 'none' },
  // It prints only numbers, so the content is not exposed.
  wc: {
    short: 'lwcmL',
    long: list('lines words bytes chars max-line-length'),
    operands: 'names',
  },
  which: { short: 'as', operands: 'text' },
  whoami: nothing,
  // No -r and no second operand: they write.
  xxd: {
    dash: list('-b -u -p -ps -plain -i -E -e -a'),
    values: texts('-c -g -l -s'),
    operands: 'paths',
    maxOperands: 1,
  },
};
