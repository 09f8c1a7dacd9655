import path from 'node:path';
import * as z from 'zod';
import { defineTool, fail, ok } from '../contract/tool.ts';
import { splitGlob } from '../lib/paths/glob-base.ts';
import { quotedName } from '../lib/paths/quoted-name.ts';
import { fullLimits } from '../lib/results/result-limits.ts';
import { adaptGlob } from './dialects/adapt-reading.ts';
import { FOLDER_NAMES } from './dialects/names.ts';
import { fitting } from './reading/page.ts';

const MAX_PATHS = 200;

const input = () =>
  z.object({
    pattern: z.string().min(1).describe('Such as src/**/*.ts; without a slash it matches names at any depth'),
    path: z.string().min(1).optional().describe('Folder to search'),
    include_ignored: z.boolean().default(false).describe('Also hidden and ignored files'),
  });

export const glob = defineTool({
  name: 'Glob',
  aliases: ['glob_files', 'find_files', 'file_search', 'glob_file_search', 'find'],
  argumentAliases: {
    pattern: [
      'query',
      'glob',
      'glob_pattern',
      'file_pattern',
      'name_pattern',
      'name',
      'file_name',
      'patterns',
    ],
    path: [...FOLDER_NAMES, 'paths'],
    include_ignored: ['no_ignore', 'include_hidden', 'hidden'],
  },
  adapt: adaptGlob,
  description:
    `Find files by name pattern, the most recently changed first, at most ${MAX_PATHS}. Ignored files are skipped, ` +
    'and so are hidden ones unless the pattern names a dot.',
  input,

  title: ({ pattern, path: under }, shown) =>
    `Glob ${path.isAbsolute(pattern) ? shown(pattern) : pattern}${under === undefined ? '' : ` in ${shown(under)}`}`,
  results: 'names',
  explores: 'pattern',
  access: (query) => [{ kind: 'read', target: placeOf(query).folder }],

  async run(query, { files, search, signal, limits }) {
    const { folder, pattern } = placeOf(query);
    const stat = await files.stat(folder);
    if (stat?.type !== 'directory')
      return fail(`${folder} is not a folder. Pass a folder as path, or omit it.`);

    const everything = query.include_ignored;
    const { paths, total } = await search.files(pattern, folder, { limit: MAX_PATHS, signal, everything });
    const display = { kind: 'files' as const, paths, total };
    if (total === 0) {
      const hint = everything
        ? ''
        : ' Ignored and hidden files were skipped; set include_ignored to search them, too.';
      return ok(`No file matches ${query.pattern}.${hint}`, { display, metadata: { total } });
    }
    const { text, shown } = fitting(paths.map(quotedName), (limits ?? fullLimits).names);
    const left = total - shown;
    const more =
      left > 0 ? `\n[${left} more ${left === 1 ? 'file' : 'files'}; narrow the pattern to see more]` : '';
    return ok(text + more, { display, metadata: { total } });
  },
});

function placeOf({ pattern, path: under }: { pattern: string; path?: string | undefined }): {
  folder: string;
  pattern: string;
} {
  const split = splitGlob(pattern);
  if (split.base === undefined) return { folder: under ?? '.', pattern: split.pattern };
  const absolute = path.isAbsolute(split.base) || split.base.startsWith('~');
  return { folder: absolute ? split.base : path.join(under ?? '.', split.base), pattern: split.pattern };
}
