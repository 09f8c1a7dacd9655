import { list, type Told } from './read-only-program.ts';

// Small languages in arguments: which of their programs are certainly read-only.

/**
 * `5p`, `1,20p`, `$p`, `/from/,/to/p`, `10q`, `3d`, and substitutions without the flags that write or
 * execute.
 */
const SED_COMMAND =
  /^((\d+|\$|\/[^/\\\n]*\/)(,(\d+|\$|\/[^/\\\n]*\/))?)?\s*!?\s*([pdq=]|s\/(?:[^/\\\n]|\\[^\n])*\/(?:[^/\\\n]|\\[^\n])*\/[gip\d]*)$/;

export function printsLines({ values, operands }: Told): string | null {
  const brought = [...(values.e ?? []), ...(values.expression ?? [])];
  const scripts = brought.length > 0 ? brought : operands.slice(0, 1);
  const safe = scripts.every((script) => script.split(';').every((one) => SED_COMMAND.test(one.trim())));
  return safe && scripts.length > 0 ? null : 'this sed script may write files';
}

/** `{print $1, $NF}`, optionally for some lines only: no pipe, no redirect, no function. */
const FIELD = String.raw`(\$(\d+|NF)|NR|NF|"[^"\\$|<>]*")`;
const AWK_PROGRAM = new RegExp(
  String.raw`^\s*(NR\s*(==|<=|>=|<|>|!=)\s*\d+(\s*&&\s*NR\s*(==|<=|>=|<|>|!=)\s*\d+)?|\/[\w .:_-]*\/)?\s*(\{\s*print(\s+${FIELD}(\s*,?\s*${FIELD})*)?\s*;?\s*\})?\s*$`,
);

export function printsColumns({ operands }: Told): string | null {
  const [program = ''] = operands;
  const files = operands.slice(1);
  const safe =
    AWK_PROGRAM.test(program) && program.trim() !== '' && files.every((file) => !file.includes('='));
  return safe ? null : 'this awk program may write files';
}

/** A filter of paths, pipes and plain functions: nothing that reads the environment or other files. */
export function filterLooks({ operands }: Told): string | null {
  const [filter = ''] = operands;
  const plain = /^[\w\s.[\]|,"':()?+*/<>=!{}@-]*$/.test(filter);
  const reaches =
    /\b(env|input|inputs|input_filename|debug|stderr|import|include|halt|halt_error|getpath|modulemeta|ltrimstr\s*\()/;
  return plain && !reaches.test(filter) ? null : 'this jq filter may read other files';
}

/** Extensions of source files, which do not hold secrets. */
const ENDINGS = new Set(
  list(
    'c cc cpp cs css cts dart ex exs go h hpp hs htm html java js jsx kt lua md mjs cjs mts php pl proto py rb rs rst',
    'scala scss sh sql svelte swift ts tsx vue zig',
  ),
);
const SOURCE_TYPES = new Set(
  list(
    'c cpp cs css dart elixir go haskell html java js kotlin lua markdown md php perl proto py python ruby rust',
    'scala sql svelte swift ts typescript vue zig',
  ),
);

export function recursionLooks({ flags, values }: Told): string | null {
  if (!flags.some((flag) => flag === 'r' || flag === 'recursive')) return null;
  const only = values.include ?? [];
  if (only.length > 0 && only.every(namesSources)) return null;
  return 'recursive grep also reads hidden files, which may hold secrets; rg skips them';
}

/** `*.ts`, `src/*.{ts,tsx}`: hidden files are not matched. */
function namesSources(pattern: string): boolean {
  const [, one, some] = /^(?:[\w-]+\/|\*\*\/)*\*\.(?:(\w+)|\{([\w,]+)\})$/.exec(pattern) ?? [];
  const endings = one === undefined ? (some?.split(',') ?? []) : [one];
  return endings.length > 0 && endings.every((ending) => ENDINGS.has(ending));
}

/** In rg, an explicit glob or type also matches hidden and ignored files of that name. */
export function choosesSources({ values }: Told): string | null {
  const globs = ['g', 'glob', 'iglob'].flatMap((flag) => values[flag] ?? []);
  const types = ['t', 'type'].flatMap((flag) => values[flag] ?? []);
  const harmless = globs.every((glob) => glob.startsWith('!') || namesSources(glob));
  return harmless && types.every((type) => SOURCE_TYPES.has(type))
    ? null
    : 'rg would also search hidden files matching that name';
}

/** `set -euo pipefail` and the like. Without arguments it would print every variable. */
export function setsHarmless({ flags, values }: Told): string | null {
  const known = (values.o ?? []).every((option) => /^(pipefail|errexit|nounset)$/.test(option));
  return flags.length > 0 && known ? null : 'prints or changes shell state';
}

/** `-n5` and `-c +10k`, not `-n5f`, which follows the file in some versions. */
export function countsLines({ values }: Told): string | null {
  return Object.values(values)
    .flat()
    .every((value) => /^[+-]?\d+[bkKMGTP]?B?$/.test(value))
    ? null
    : 'may never end';
}
