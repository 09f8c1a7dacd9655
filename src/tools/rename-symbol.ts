import path from 'node:path';
import * as z from 'zod';
import type { CodeIntelligence, RenamedFile } from '../contract/code-intelligence.ts';
import type { Display } from '../contract/display.ts';
import { defineTool, fail, ok, type Tool, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import { diffOf } from '../lib/text/diff-lines.ts';
import { FILE_NAMES } from './dialects/names.ts';

const input = () =>
  z.object({
    file_path: z.string().min(1).describe('File with the symbol'),
    line: z.number().int().min(1).describe('Line of the symbol'),
    symbol: z.string().min(1).describe('Its name, as it is on that line'),
    new_name: z.string().min(1).describe('Its new name'),
    files: z
      .array(z.string().min(1))
      .default([])
      .describe('The files to change, from the preview; without them nothing is changed'),
  });

type Input = z.output<ReturnType<typeof input>>;
type Planned = { files: RenamedFile[] } | { error: string };

/** What will be written is named in the call, so that it can be judged: hence two steps. */
export function createRenameSymbol(code: CodeIntelligence): Tool {
  return defineTool({
    name: 'RenameSymbol',
    argumentAliases: { file_path: FILE_NAMES },
    description:
      'Rename a symbol everywhere, with a language server. Call it without files for a preview; then call it again with the files of the preview to make the change.',
    input,

    title: ({ symbol, new_name, files }, shown) =>
      `Rename ${symbol} to ${new_name}${files.length > 0 ? ` in ${files.map(shown).join(', ')}` : ' (preview)'}`,
    access: ({ file_path, files }) =>
      files.length > 0
        ? files.map((target) => ({ kind: 'write', target }))
        : [{ kind: 'read', target: file_path }],

    async preview(wanted, context) {
      const plan = await planRename(code, wanted, context);
      return 'error' in plan ? { kind: 'refused', error: plan.error } : showFiles(plan.files, context.cwd);
    },

    async run(wanted, context) {
      const plan = await planRename(code, wanted, context);
      if ('error' in plan) return fail(plan.error);
      const { cwd, files, seen } = context;
      const names = plan.files.map((file) => path.relative(cwd, file.path));
      const display = await showFiles(plan.files, cwd);
      if (wanted.files.length === 0)
        return ok(
          `Nothing is changed yet. Call again with files: ${JSON.stringify(names)}\n\n${display.diffs.map(({ patch }) => patch).join('\n')}`,
          { display: { kind: 'text', text: `${names.length} files would change: ${names.join(', ')}` } },
        );
      const written = plan.files.map(({ path: file, before, after }) => ({
        path: file,
        bytes: Buffer.from(after),
        was: { sha256: sha256(Buffer.from(before)) },
      }));
      await files.writeAll(written);
      for (const { path: file, bytes } of written) seen.set(file, sha256(bytes));
      return ok(`Renamed ${wanted.symbol} to ${wanted.new_name} in ${names.join(', ')}`, { display });
    },
  });
}

async function planRename(code: CodeIntelligence, wanted: Input, context: ToolContext): Promise<Planned> {
  const { files, signal, cwd } = context;
  const stat = await files.stat(wanted.file_path);
  if (stat?.type !== 'file') return { error: `There is no file ${wanted.file_path}.` };
  const { line, symbol, new_name } = wanted;
  const found = await code.rename({ path: stat.path, line, symbol }, new_name, signal);
  if ('error' in found) return found;
  if (wanted.files.length === 0) return { files: found };
  const named = new Set(wanted.files.map((file) => path.resolve(cwd, file)));
  const missing = found.filter((file) => !named.has(file.path)).map((file) => path.relative(cwd, file.path));
  return missing.length > 0
    ? { error: `The rename also changes ${missing.join(', ')}. Name all files, or none for a preview.` }
    : { files: found };
}

async function showFiles(
  found: readonly RenamedFile[],
  cwd: string,
): Promise<Extract<Display, { kind: 'diffs' }>> {
  const diffs = [];
  for (const { path: file, before, after } of found) {
    const shown = await diffOf(path.relative(cwd, file), before, after);
    diffs.push({ path: shown.path, patch: shown.patch, added: shown.added, removed: shown.removed });
  }
  return { kind: 'diffs', diffs };
}
