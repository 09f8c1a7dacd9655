import * as z from 'zod';
import { defineTool, fail, ok } from '../contract/tool.ts';

const MAX_LINES = 200;

export const grep = defineTool({
  name: 'Grep',
  aliases: ['grep_files', 'grep_search', 'search_files', 'search_file_content', 'ripgrep', 'rg'],
  description:
    `Search file contents with a regular expression (ripgrep syntax). Ignored and hidden files are left out; ` +
    `at most ${MAX_LINES} lines come back.`,
  input: z.object({
    pattern: z.string().min(1).describe('Regular expression'),
    path: z.string().min(1).optional().describe('File or folder to search; the working directory if absent'),
    glob: z.string().min(1).optional().describe('Only files that match, such as *.ts'),
    mode: z
      .enum(['content', 'files', 'count'])
      .default('content')
      .describe('content: path:line:text; files: paths only; count: matching lines per file'),
    ignore_case: z.boolean().default(false),
    context: z.number().int().min(0).max(20).default(0).describe('Lines to show around each match'),
  }),

  title: ({ pattern, path }) => `Grep ${pattern}${path === undefined ? '' : ` in ${path}`}`,
  access: ({ path }) => [{ kind: 'read', target: path ?? '.' }],

  async run({ pattern, path, glob, mode, ignore_case, context }, { files, search, signal }) {
    if (path !== undefined && !(await files.stat(path))) {
      return fail(`${path} does not exist. Find it with Glob, or leave path out.`);
    }
    const query = {
      pattern,
      mode,
      ignoreCase: ignore_case,
      contextLines: context,
      ...(path !== undefined && { path }),
      ...(glob !== undefined && { glob: glob.replace(/^\.\//, '') }),
    };
    const { lines, total } = await search.grep(query, { limit: MAX_LINES, signal });
    if (total === 0) return ok(`Nothing matches ${pattern}.`, { metadata: { total } });

    const shown = lines.filter((line) => line !== '--').length;
    const left = total - shown;
    const more = left > 0 ? `\n[${left} more; narrow the search with path, glob or mode to see them]` : '';
    return ok(lines.join('\n') + more, { metadata: { total } });
  },
});
