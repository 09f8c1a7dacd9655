import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import { defineTool, fail, ok, type ToolContext } from '../contract/tool.ts';
import { limited } from '../lib/async/abort.ts';
import { quotedName } from '../lib/paths/quoted-name.ts';
import { fullLimits } from '../lib/results/result-limits.ts';
import { adaptSearch } from './dialects/adapt-reading.ts';
import { FILE_NAMES, FOLDER_NAMES, QUERY_NAMES } from './dialects/names.ts';
import { fitting } from './reading/page.ts';
import { parseQuery, type WantedNames } from './searching/query.ts';
import { type Place, rankPlaces } from './searching/rank-places.ts';
import { definitionPattern } from './searching/symbol-rules.ts';

const MAX_PLACES = 40;
/** Maximum matches per file, so that one file does not fill the page. */
const PER_FILE = 4;
const MAX_HITS = 2_000;
const MAX_SECONDS = 10;

export const search = defineTool({
  name: 'Search',
  aliases: ['codebase_search', 'code_search', 'search_code', 'symbol_search', 'find_symbol'],
  argumentAliases: {
    query: [...QUERY_NAMES, 'symbol', 'name', 'pattern'],
    path: [...FOLDER_NAMES, ...FILE_NAMES],
  },
  adapt: adaptSearch,
  description:
    'Find where a name or a few words occur in the code, the most likely places first: definitions, then uses, then ' +
    'parts of names. Spelling variants (camelCase, snake_case) are found, too. For exact patterns use Grep.',
  input: () =>
    z.object({
      query: z
        .string()
        .min(1)
        .describe('A name such as parseConfig, or a few words such as retry after timeout'),
      path: z.string().min(1).optional().describe('File or folder to search'),
    }),

  title: ({ query, path }, shown) => `Search ${query}${path === undefined ? '' : ` in ${shown(path)}`}`,
  results: 'search',
  explores: 'pattern',
  access: ({ path }) => [{ kind: 'read', target: path ?? '.' }],

  async run({ query, path }, context) {
    const names = parseQuery(query);
    if (!names) return fail('The query contains no words. Pass a name or a few words; for symbols use Grep.');
    const stat = path === undefined ? undefined : await context.files.stat(path);
    if (stat === null) return fail(`${path} does not exist. Find it with Glob, or omit path.`);

    const { places, total, late } = await look(names, path, context);
    const best = spread(places).slice(0, MAX_PLACES);
    const stopped = late
      ? [`[stopped after ${MAX_SECONDS}s; the list may be incomplete: narrow the search with path]`]
      : [];
    const extra = { metadata: { total }, summary: countOf('place', total) };
    if (best.length === 0) return ok([`Nothing found for ${query}.`, ...stopped].join('\n'), extra);

    const lines = best.map(({ file, line, text, why }) => `${quotedName(file)}:${line}: ${text}  [${why}]`);
    const { text, shown } = fitting(lines, (context.limits ?? fullLimits).search);
    const left = total - shown;
    const more = left > 0 ? [`[${left} more ${left === 1 ? 'place' : 'places'}; Grep lists them all]`] : [];
    return ok([text, ...more, ...stopped].join('\n'), extra);
  },
});

type Looked = { places: Place[]; total: number; late: boolean };

/** Searches definitions and whole words in parallel; parts of names only if those do not fill the page. */
async function look(names: WantedNames, path: string | undefined, context: ToolContext): Promise<Looked> {
  const signal = limited(MAX_SECONDS * 1000, context.signal);
  const grep = (pattern: string) =>
    context.search
      .grep(
        { pattern, ignoreCase: true, mode: 'content', null: true, ...(path !== undefined && { path }) },
        { limit: MAX_HITS, signal },
      )
      .catch((error: unknown) => {
        if (context.signal.aborted || !signal.aborted) throw error;
        return { lines: [], total: 0 };
      });

  const [definitions, words] = await Promise.all([
    grep(definitionPattern(names.patterns)),
    grep(names.wholeWord),
  ]);
  const found = [definitions, words];
  const ranked = () =>
    rankPlaces(
      found.map(({ lines }) => lines),
      names,
    );
  if (spread(ranked()).length < MAX_PLACES) found.push(await grep(names.anywhere));
  const places = ranked();
  const total = Math.max(places.length, ...found.map((one) => one.total));
  return { places, total, late: signal.aborted };
}

function spread(places: readonly Place[]): Place[] {
  const perFile = new Map<string, number>();
  return places.filter(({ file, isDefinition }) => {
    if (isDefinition) return true;
    const count = (perFile.get(file) ?? 0) + 1;
    perFile.set(file, count);
    return count <= PER_FILE;
  });
}
