import type { AdaptedCall, Arguments } from '../../contract/tool.ts';
import { fieldOf, flagIn, listIn, numberIn, onlyItem, take } from './values.ts';

/** Ranges of lines: `start_line` with `end_line`, `view_range: [from, to]`. */
export function adaptRead(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, [...ENDS, ...RANGES, ...MANY, ...KINDS]);
  const many = listIn(taken.file_paths ?? taken.paths ?? taken.files ?? taken.include);
  const [only, ...others] = many ?? [];
  const ranges = listIn(fieldOf(only, ['line_ranges', 'lineRanges'])) ?? [];
  if (others.length > 0 || ranges.length > 1)
    return { refuse: 'Read takes one file_path. Call it once per file; the calls can be in one reply.' };
  const file = many ? { file_path: fieldOf(only, ['path', 'file_path', 'filePath']) ?? only } : {};
  const range = rangeIn(taken.view_range ?? taken.line_range ?? taken.range ?? ranges[0]);
  const first = numberIn(range?.[0] ?? rest.offset);
  const last = numberIn(range?.[1] ?? ENDS.map((name) => taken[name]).find((end) => end !== undefined));
  const isWhole = flagIn(taken.should_read_entire_file) === true;
  if (isWhole) {
    const { offset: _, limit: __, ...whole } = rest;
    return { input: { ...whole, ...file } };
  }
  const from = first === undefined ? {} : { offset: first };
  const until =
    last === undefined || last < 0 ? {} : { limit: Math.max(1, last - Math.max(1, first ?? 1) + 1) };
  const kind = taken.mode === undefined || taken.mode === 'slice' ? {} : { mode: taken.mode };
  return { input: { ...rest, ...file, ...kind, ...from, ...until } };
}

/** First and last line, as a list or as `3-6`. */
function rangeIn(value: unknown): unknown[] | undefined {
  const words = typeof value === 'string' ? /^\s*(\d+)\s*[-:]\s*(\d+)\s*$/.exec(value) : null;
  return words ? words.slice(1) : listIn(value);
}

const ENDS = [
  'end_line',
  'endLine',
  'line_end',
  'to_line',
  'end_line_one_indexed',
  'end_line_one_indexed_inclusive',
] as const;
const RANGES = ['view_range', 'line_range', 'range'] as const;
const MANY = ['file_paths', 'paths', 'files', 'include'] as const;
const KINDS = ['should_read_entire_file', 'view_type', 'mode'] as const;

const MODES: Readonly<Record<string, string>> = {
  files_with_matches: 'files',
  files_with_match: 'files',
  filenames: 'files',
  counts: 'count',
  lines: 'content',
};
const MOST_CONTEXT = 20;

/** Flags of grep and ripgrep, and searches that ignore case unless told otherwise. */
export function adaptGrep(input: Arguments, calledAs: string): AdaptedCall {
  const names = ['-A', '-B', 'before', 'after', 'context_before', 'context_after', 'case_sensitive'] as const;
  const more = [
    'fixed_strings',
    'literal',
    'is_regexp',
    'regex_mode',
    'names_only',
    '-F',
    '-l',
    '-c',
  ] as const;
  const { taken, rest } = take(input, [...names, ...more]);
  const isCaseSensitive = flagIn(taken.case_sensitive);
  const around = names
    .slice(0, 6)
    .map((name) => numberIn(taken[name]))
    .filter((count) => count !== undefined);
  const context = Math.max(...around, numberIn(rest.context) ?? 0);
  const isLiteral =
    flagIn(taken.fixed_strings ?? taken.literal ?? taken['-F']) === true || flagIn(taken.is_regexp) === false;
  const { pattern, mode, limit, path, ...others } = rest;
  const fileMode = flagIn(taken.names_only ?? taken['-l']) ? 'files' : flagIn(taken['-c']) ? 'count' : mode;
  const ignoresCase =
    isCaseSensitive === undefined ? /^(search_file_content|grep_search)$/.test(calledAs) : !isCaseSensitive;
  return {
    input: {
      ...(ignoresCase && { ignore_case: true }),
      ...others,
      ...(path !== undefined && { path: onlyItem(listIn(path) ?? path) }),
      ...(pattern !== undefined && {
        pattern:
          isLiteral && typeof pattern === 'string'
            ? pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
            : pattern,
      }),
      ...(fileMode !== undefined && {
        mode: typeof fileMode === 'string' ? (MODES[fileMode] ?? fileMode) : fileMode,
      }),
      // Zero means no limit to others.
      ...(limit !== undefined && numberIn(limit) !== 0 && { limit }),
      ...(context > 0 && { context: Math.min(context, MOST_CONTEXT) }),
    },
  };
}

/** Names of files, of which some only know a part. */
export function adaptGlob(input: Arguments, calledAs: string): AdaptedCall {
  const { taken, rest } = take(input, ['respect_git_ignore', 'path', 'pattern']);
  const { pattern, path } = taken;
  const isPart = /^file_?search$/i.test(calledAs) && typeof pattern === 'string' && !/[*?[{/]/.test(pattern);
  return {
    input: {
      ...rest,
      ...(flagIn(taken.respect_git_ignore) === false && { include_ignored: true }),
      ...(path !== undefined && { path: onlyItem(listIn(path) ?? path) }),
      ...(pattern !== undefined && { pattern: isPart ? `*${pattern}*` : onlyItem(pattern) }),
    },
  };
}

/** A list of one folder. */
export function adaptSearch(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['path']);
  const path = onlyItem(listIn(taken.path) ?? taken.path);
  const isNone = path === undefined || (Array.isArray(path) && path.length === 0);
  return { input: { ...rest, ...(!isNone && { path }) } };
}

const DEEPEST = 3;

export function adaptList(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['recursive', 'depth', 'file_filtering_options']);
  const depth = numberIn(taken.depth) ?? (flagIn(taken.recursive) ? DEEPEST : undefined);
  const filters = fieldOf(taken.file_filtering_options, ['respect_git_ignore']);
  return {
    input: {
      ...rest,
      ...(flagIn(filters) === false && { include_ignored: true }),
      ...(depth !== undefined && { depth: Math.min(Math.max(1, depth), DEEPEST) }),
    },
  };
}
