import * as z from 'zod';
import { countOf } from '../contract/display.ts';
import { defineTool, ok, type Tool } from '../contract/tool.ts';
import { QUERY_NAMES } from './dialects/names.ts';

/** `where` distinguishes a note from a session. */
export type RecallHit = { where: string; date: string; text: string };

/** Searches notes and earlier conversations. */
export type RecallSearch = (
  query: string,
  options: { limit: number; signal: AbortSignal },
) => Promise<RecallHit[]>;

const USUAL = 8;
const MOST = 20;

export function createRecall(search: RecallSearch): Tool {
  return defineTool({
    name: 'Recall',
    aliases: ['memory_search', 'search_memory', 'search_history'],
    argumentAliases: { query: QUERY_NAMES, limit: ['max_results', 'count'] },
    onlyReads: true,
    description:
      'Search notes and past conversations about this project: what was decided, tried and learned. It may be out of date.',
    input: () =>
      z.object({
        query: z.string().min(1).describe('What to look for'),
        limit: z.number().int().min(1).max(MOST).default(USUAL),
      }),

    title: ({ query }) => `Recall ${query}`,
    access: () => [],

    async run({ query, limit }, { signal }) {
      const hits = await search(query, { limit, signal });
      if (hits.length === 0) return ok('Nothing found. Try other words.', { summary: countOf('result', 0) });
      return ok(hits.map(({ where, date, text }) => `${date}  ${where}\n  ${text}`).join('\n'), {
        metadata: { found: hits.length },
        summary: countOf('result', hits.length),
      });
    },
  });
}
