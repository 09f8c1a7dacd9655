import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { fitting } from './reading/page.ts';

const MAX_LINES = 200;

export const grep = defineTool({
  name: 'Grep',
  aliases: ['grep_files', 'grep_search', 'search_files', 'search_file_content', 'ripgrep', 'rg'],
  description:
    'Search file contents with a regular expression (ripgrep syntax), the most recently changed files first. ' +
    `Ignored and hidden files are skipped; at most ${MAX_LINES} lines are returned.`,
  input: () =>
    z.object({
      pattern: z.string().min(1).describe('Regular expression'),
      path: z
        .string()
        .min(1)
        .optional()
        .describe('File or folder to search; the working directory if absent'),
      glob: z.string().min(1).optional().describe('Only files that match, such as *.ts'),
      type: z.string().min(1).optional().describe('Only files of this type, such as ts, py, go, rust'),
      mode: z
        .enum(['content', 'files', 'count'])
        .default('content')
        .describe('content: path:line:text; files: paths only; count: matching lines per file'),
      ignore_case: z.boolean().default(false),
      multiline: z.boolean().default(false).describe('Let a match span lines; . then matches a newline, too'),
      context: z.number().int().min(0).max(20).default(0).describe('Lines to show around each match'),
      include_ignored: z
        .boolean()
        .default(false)
        .describe('Include hidden files and those ignored by .gitignore'),
    }),

  title: ({ pattern, path }, shown) => `Grep ${pattern}${path === undefined ? '' : ` in ${shown(path)}`}`,
  explores: 'pattern',
  access: ({ path }) => [{ kind: 'read', target: path ?? '.' }],

  async run(input, { files, search, signal }) {
    const { pattern, path, glob, type, mode } = input;
    const stat = path === undefined ? undefined : await files.stat(path);
    if (stat === null) return fail(`${path} does not exist. Find it with Glob, or omit path.`);
    if (stat?.type === 'other')
      return fail(`${path} is a pipe, socket or device. Pass a file or a folder, or omit path.`);

    const query = {
      pattern,
      mode,
      ignoreCase: input.ignore_case,
      multiline: input.multiline,
      everything: input.include_ignored,
      contextLines: input.context,
      ...(path !== undefined && { path }),
      ...(glob !== undefined && { glob: glob.replace(/^\.\//, '') }),
      ...(type !== undefined && { type }),
    };
    const found = await search.grep(query, { limit: MAX_LINES, signal });
    const { lines, total, matches = total } = found;
    const inFiles = found.files === undefined ? {} : { files: found.files };
    const extra = {
      metadata: { total },
      ...(mode === 'files' && { display: { kind: 'files' as const, paths: lines, total } }),
      ...(mode === 'content' && { summary: countOf('match', matches, inFiles) }),
      ...(mode === 'count' && { summary: countOf('file', total) }),
    };
    if (total === 0) return ok(`Nothing matches ${pattern}.`, extra);

    const { text, shown } = fitting(lines);
    const left = total - lines.slice(0, shown).filter((line) => line !== '--').length;
    const more =
      left > 0 ? `\n[${left} more; narrow the search with path, glob, type or mode to see them]` : '';
    return ok(text + more, extra);
  },
});
