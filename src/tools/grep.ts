import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import { defineTool, fail, type GrepQuery, ok, type ToolContext } from '../contract/tool.ts';
import { fullLimits } from '../lib/results/result-limits.ts';
import { adaptGrep } from './dialects/adapt-reading.ts';
import { FILE_NAMES, FOLDER_NAMES, QUERY_NAMES } from './dialects/names.ts';
import { fitting } from './reading/page.ts';
import { type FileMatches, flatLines, matchesByFile, spreadMatches } from './searching/spread-matches.ts';

const MAX_LINES = 200;
/** Collected to show some of each file. */
const MAX_COLLECTED = 2_000;
/** The last line that can be listed. */
const MAX_OFFSET = 50_000;

const input = () =>
  z.object({
    pattern: z.string().min(1).describe('Regular expression'),
    path: z.string().min(1).optional().describe('File or folder to search'),
    glob: z.string().min(1).optional().describe('Only files that match, such as *.ts'),
    type: z.string().min(1).optional().describe('Only files of this type, such as ts, py, go, rust'),
    mode: z
      .enum(['content', 'files', 'count'])
      .default('content')
      .describe('content: path:line:text; files: paths only; count: matching lines per file'),
    ignore_case: z.boolean().default(false),
    limit: z.number().int().min(1).max(2_000).optional().describe('How many lines'),
    offset: z.number().int().min(0).optional().describe('First line, from 1'),
    multiline: z.boolean().default(false).describe('Let a match span lines, and . match a newline'),
    context: z.number().int().min(0).max(20).default(0).describe('Lines to show around each match'),
    include_ignored: z.boolean().default(false).describe('Also hidden and ignored files'),
  });

type Input = z.output<ReturnType<typeof input>>;

export const grep = defineTool({
  name: 'Grep',
  aliases: ['grep_files', 'grep_search', 'search_files', 'search_file_content', 'ripgrep', 'rg'],
  argumentAliases: {
    pattern: ['query', 'regex', 'regexp', 'search_pattern', 'content_pattern', ...QUERY_NAMES],
    path: [...FOLDER_NAMES, ...FILE_NAMES, 'paths'],
    glob: [
      'include',
      'includes',
      'include_pattern',
      'include_patterns',
      'file_pattern',
      'glob_pattern',
      'file_glob',
    ],
    type: ['file_type', '-t'],
    mode: ['output_mode'],
    ignore_case: ['-i', 'case_insensitive', 'insensitive'],
    limit: ['head_limit', 'max_results', 'total_max_matches', 'max_matches', 'max_count', '-m'],
    multiline: ['-U'],
    context: ['-C', 'context_lines', 'lines_of_context'],
    include_ignored: ['no_ignore', 'include_hidden', 'hidden'],
  },
  ignoredArguments: ['-n', '-r', 'line_numbers', 'recursive'],
  adapt: adaptGrep,
  description:
    'Search file contents with a regular expression (ripgrep syntax), the most recently changed files first. ' +
    `Ignored and hidden files are skipped. Of more than ${MAX_LINES} lines you get some of each file.`,
  input,

  title: ({ pattern, path }, shown) => `Grep ${pattern}${path === undefined ? '' : ` in ${shown(path)}`}`,
  explores: 'pattern',
  results: 'search',
  access: ({ path }) => [{ kind: 'read', target: path ?? '.' }],

  async run(input, context) {
    const { pattern, path, mode } = input;
    const stat = path === undefined ? undefined : await context.files.stat(path);
    if (stat === null) return fail(`${path} does not exist. Find it with Glob, or omit path.`);
    if (stat?.type === 'other')
      return fail(`${path} is a pipe, socket or device. Pass a file or a folder, or omit path.`);

    const isPaged = input.offset !== undefined || input.limit !== undefined;
    const first = Math.max(1, input.offset ?? 1);
    const most = input.limit ?? MAX_LINES;
    const room = isPaged ? Math.min(MAX_OFFSET, first - 1 + most) : MAX_COLLECTED;
    const found = await grepFor(input, context, room);
    const { lines, total, matches = total } = found;
    const inFiles = found.files === undefined ? {} : { files: found.files };
    const extra = {
      metadata: { total },
      ...(mode === 'files' && { display: { kind: 'files' as const, paths: lines, total } }),
      ...(mode === 'content' && { summary: countOf('match', matches, inFiles) }),
      ...(mode === 'count' && { summary: countOf('file', total) }),
    };
    if (total === 0) return ok(`Nothing matches ${pattern}.${await otherCase(input, context)}`, extra);
    const { search: characters } = context.limits ?? fullLimits;
    const groups = mode === 'content' ? matchesByFile(lines, input.context) : [];
    const flat = mode === 'content' ? flatLines(groups, input.context) : lines;
    const hasFiles = (found.files ?? groups.length) > 1;
    const isSpread =
      !isPaged && hasFiles && mode === 'content' && (total > most || flat.join('\n').length > characters);
    if (!isSpread) return ok(pageOf(flat, { first, most, total, characters }), extra);

    const counted = lines.length < total ? await withAllFiles(groups, input, context) : groups;
    const spread = spreadMatches(counted, input.context, { lines: most, characters });
    const { text, shown } = fitting(spread.slice(0, most), characters);
    const where = `${matches} lines match in ${found.files ?? counted.length} files`;
    const files = spread.length > shown ? '; not all files are listed' : '';
    return ok(
      `${text}\n[${where}${files}: narrow the search with path, glob or type, or list all with offset 1]`,
      extra,
    );
  },
});

function grepFor(
  input: Input,
  { search, signal }: ToolContext,
  limit: number,
  changes: Partial<GrepQuery> = {},
) {
  const { pattern, path, glob, type, mode } = input;
  const query: GrepQuery = {
    pattern,
    mode,
    ignoreCase: input.ignore_case,
    multiline: input.multiline,
    everything: input.include_ignored,
    contextLines: input.context,
    ...(mode === 'content' && { null: true }),
    ...(path !== undefined && { path }),
    ...(glob !== undefined && { glob: glob.replace(/^\.\//, '') }),
    ...(type !== undefined && { type }),
    ...changes,
  };
  return search.grep(query, { limit, signal });
}

/** A search that finds nothing may only have the wrong case. */
async function otherCase(input: Input, context: ToolContext): Promise<string> {
  if (input.ignore_case || input.pattern.toLowerCase() === input.pattern.toUpperCase()) return '';
  const { total } = await grepFor(input, context, 1, { ignoreCase: true, mode: 'files' });
  const files = total === 1 ? '1 file matches' : `${total} files match`;
  return total === 0 ? '' : ` With ignore_case ${files}.`;
}

/** The matches that were collected, and the number of matches in every file. */
async function withAllFiles(
  groups: readonly FileMatches[],
  input: Input,
  context: ToolContext,
): Promise<FileMatches[]> {
  const counts = await grepFor(input, context, MAX_COLLECTED, { mode: 'count', null: true });
  const known = new Map(groups.map((group) => [group.file, group.matches]));
  return counts.lines.map((line) => {
    const [file = '', count = '0'] = line.split('\0');
    return { file, matches: known.get(file) ?? [], total: Number(count) };
  });
}

type Page = { first: number; most: number; total: number; characters: number };

function pageOf(lines: readonly string[], { first, most, total, characters }: Page): string {
  const window = lines.slice(first - 1, first - 1 + most);
  if (window.length === 0) return `[there are only ${total} lines]`;
  const { text, shown } = fitting(window, characters);
  const end = first - 1 + lines.slice(first - 1, first - 1 + shown).length;
  const left = total - lines.slice(0, end).filter((line) => line !== '--').length;
  return left > 0 ? `${text}\n[${left} more: continue with offset ${end + 1}]` : text;
}
