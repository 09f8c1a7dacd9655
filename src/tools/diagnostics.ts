import path from 'node:path';
import * as z from 'zod';
import type { CodeIntelligence, Finding } from '../contract/code-intelligence.ts';
import { countOf } from '../contract/display.ts';
import { defineTool, fail, ok, type Tool } from '../contract/tool.ts';
import { FILE_NAMES } from './dialects/names.ts';

const MOST = 100;

export function createDiagnostics(code: CodeIntelligence): Tool {
  return defineTool({
    name: 'Diagnostics',
    argumentAliases: { file_path: FILE_NAMES },
    aliases: ['getDiagnostics'],
    description:
      'List all errors and warnings of a file, from a language server. New errors come by themselves after your changes.',
    input: () => z.object({ file_path: z.string().min(1).describe('File to check') }),

    title: ({ file_path }, shown) => `Diagnostics ${shown(file_path)}`,
    access: ({ file_path }) => [{ kind: 'read', target: file_path }],

    async run({ file_path }, { cwd, files, signal }) {
      const stat = await files.stat(file_path);
      if (stat?.type !== 'file') return fail(`There is no file ${file_path}.`);
      const found = await code.diagnostics(stat.path, signal);
      if (found.type === 'unknown')
        return fail(`Not known: ${found.because}. Run the project's own check instead, or try again later.`);
      const summary = countOf('result', found.findings.length);
      if (found.findings.length === 0) return ok('No errors or warnings.', { summary });
      return ok(findingLines(found.findings, cwd, MOST).join('\n'), { summary });
    },
  });
}

/** One line each, as compilers print them. */
export function findingLines(findings: readonly Finding[], cwd: string, most: number): string[] {
  const lines = findings
    .slice(0, most)
    .map(({ path: file, line, column, severity, source, code, message }) => {
      const rule = [source, code].filter((part) => part !== '').join(' ');
      return `${path.relative(cwd, file) || file}:${line}:${column} ${severity}: ${message.replace(/\s*\n\s*/g, ' ')} (${rule})`;
    });
  return findings.length > most ? [...lines, `… and ${findings.length - most} more`] : lines;
}
