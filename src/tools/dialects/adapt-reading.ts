import type { AdaptedCall, Arguments } from '../../contract/tool.ts';
import { flagIn, listIn, numberIn, onlyItem, take } from './values.ts';

/** Ranges of lines: `start_line` with `end_line`, `view_range: [from, to]`. */
export function adaptRead(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, [...ENDS, ...RANGES, ...MANY, 'should_read_entire_file', 'view_type']);
  const many = listIn(taken.file_paths ?? taken.paths ?? taken.files ?? taken.include);
  if (many && many.length > 1)
    return { refuse: 'Read takes one file_path. Call it once per file; the calls can be in one reply.' };
  const file = many ? { file_path: many[0] } : {};
  const range = listIn(taken.view_range ?? taken.line_range ?? taken.range);
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
  return { input: { ...rest, ...file, ...from, ...until } };
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
  const ignoresCase = isCaseSensitive === undefined ? calledAs === 'search_file_content' : !isCaseSensitive;
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
  const { path } = taken;
  return { input: { ...rest, ...(path !== undefined && { path: onlyItem(listIn(path) ?? path) }) } };
}

const DEEPEST = 3;

export function adaptList(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['recursive', 'depth']);
  const depth = numberIn(taken.depth) ?? (flagIn(taken.recursive) ? DEEPEST : undefined);
  return { input: { ...rest, ...(depth !== undefined && { depth: Math.min(Math.max(1, depth), DEEPEST) }) } };
}
