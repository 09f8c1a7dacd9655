import path from 'node:path';
import * as z from 'zod';
import type { CodeIntelligence, CodeLocation } from '../contract/code-intelligence.ts';
import { countOf } from '../contract/display.ts';
import { defineTool, fail, ok, type Tool } from '../contract/tool.ts';
import { FILE_NAMES } from './dialects/names.ts';

const MOST = 100;

export function createNavigate(code: CodeIntelligence): Tool {
  return defineTool({
    name: 'Navigate',
    argumentAliases: { file_path: FILE_NAMES },
    description:
      'Find the definition of a symbol, all references to it, the symbols of a file, or symbols of the project by name. Exact, unlike Grep: it knows scopes and types.',
    input: () =>
      z.object({
        action: z.enum(['definition', 'references', 'outline', 'symbols']),
        file_path: z.string().min(1).optional().describe('File; not needed for symbols'),
        line: z
          .number()
          .int()
          .min(1)
          .optional()
          .describe('Line of the symbol, for definition and references'),
        symbol: z.string().min(1).optional().describe('Its name; for symbols, the name to find'),
      }),

    title: ({ action, file_path, symbol }, shown) =>
      ['Navigate', action, symbol, file_path && shown(file_path)].filter(Boolean).join(' '),
    access: ({ file_path }) => [{ kind: 'read', target: file_path ?? '.' }],
    explores: 'pattern',

    async run({ action, file_path, line, symbol }, { cwd, files, signal }) {
      if (action === 'symbols') {
        if (symbol === undefined) return fail('symbols needs symbol: the name to find.');
        return result(await code.symbols(symbol, signal), cwd);
      }
      if (file_path === undefined) return fail(`${action} needs file_path.`);
      const stat = await files.stat(file_path);
      if (stat?.type !== 'file') return fail(`There is no file ${file_path}.`);
      if (action === 'outline') return result(await code.outline(stat.path, signal), cwd);
      if (line === undefined || symbol === undefined) return fail(`${action} needs line and symbol.`);
      return result(await code[action]({ path: stat.path, line, symbol }, signal), cwd);
    },
  });
}

function result(found: CodeLocation[] | { error: string }, cwd: string) {
  if ('error' in found) return fail(found.error);
  const summary = countOf('result', found.length);
  if (found.length === 0) return ok('Nothing found.', { summary });
  const lines = found.slice(0, MOST).map(({ path: file, line, column, text }) => {
    const relative = path.relative(cwd, file);
    return `${relative.startsWith('..') ? file : relative}:${line}:${column}: ${text}`;
  });
  const more = found.length > MOST ? [`… and ${found.length - MOST} more`] : [];
  return ok([...lines, ...more].join('\n'), { summary });
}
