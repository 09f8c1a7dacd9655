import path from 'node:path';
import type { SyntaxLanguage, ToolContext } from '../../contract/tool.ts';
import { cutLine } from '../../lib/text/cut-line.ts';
import { lfsNote } from './lfs-pointer.ts';
import type { Draft } from './plan-edit.ts';
import { textOfUnits } from './units.ts';

/** Lines that the answer to an edit shows at most. */
const MOST_LINES = 40;
const LINES_AROUND = 1;

/** The lines of a file after a change, numbered, from its diff: what the model need not read again. */
export function resultingLines(patch: string): string {
  const shown: string[] = [];
  let line = 0;
  let last = 0;
  const lines = patch.split('\n').slice(2, -1);
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1).some((text) => /^[-+]/.test(text));
  for (const [at, text] of lines.entries()) {
    const start = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text)?.[1];
    if (start !== undefined) line = Number(start);
    else if (line > 0 && !text.startsWith('-') && !text.startsWith('\\')) {
      if (isNear(at)) {
        if (last > 0 && line > last + 1) shown.push('…');
        shown.push(`${line}\t${cutLine(text.slice(1).replace(/\r$/, ''))}`);
        last = line;
      }
      line++;
    }
  }
  const rest = shown.length - MOST_LINES;
  if (shown.length === 0) return '';
  const note = rest > 0 ? [`[${rest} more changed lines]`] : [];
  return ['The lines are now:', ...shown.slice(0, MOST_LINES), ...note].join('\n');
}

type Context = Pick<ToolContext, 'syntaxFault' | 'signal'>;

/** What is wrong with a text, or null. */
type FindFault = (text: string, context: Context) => Promise<string | null>;

/** Settings in which comments and final commas are usual. */
const WITH_COMMENTS = /^((ts|js)config.*|devcontainer|settings|launch|tasks|extensions|\.\w+rc)\.json$/i;

const FORMATS: readonly { name: string; extension: RegExp; faultIn: FindFault }[] = [
  { name: 'JSON', extension: /\.json$/i, faultIn: async (text) => faultOf(() => JSON.parse(text)) },
  { name: 'TOML', extension: /\.toml$/i, faultIn: tomlFault },
  { name: 'YAML', extension: /\.ya?ml$/i, faultIn: yamlFault },
  { name: 'Python', extension: /\.pyi?$/i, faultIn: faultByProgram('Python') },
  { name: 'JavaScript', extension: /\.[cm]?js$/i, faultIn: faultByProgram('JavaScript') },
  { name: 'shell', extension: /\.(sh|bash)$/i, faultIn: faultByProgram('shell') },
];

async function tomlFault(text: string): Promise<string | null> {
  const { parse } = await import('smol-toml');
  return faultOf(() => parse(text));
}

async function yamlFault(text: string): Promise<string | null> {
  const { parseAllDocuments } = await import('yaml');
  return faultOf(() => {
    // Tags and templates of other programs are not errors.
    for (const document of parseAllDocuments(text))
      if ('errors' in document && document.errors[0]) throw document.errors[0];
  });
}

function faultByProgram(language: SyntaxLanguage): FindFault {
  return async (text, { syntaxFault, signal }) => (await syntaxFault?.(language, text, signal)) ?? null;
}

/** What to say of a file that stands for another one, or no longer parses as it did. `before` is null for a new file. */
export async function brokenBy(
  file: string,
  { before, after }: { before: string | null; after: string },
  context: Context,
): Promise<string[]> {
  const lfs = lfsNote(after);
  if (lfs.length > 0) return lfs;
  const format = FORMATS.find(({ extension }) => extension.test(file));
  if (!format || after.trim() === '' || WITH_COMMENTS.test(path.basename(file))) return [];
  const fault = await format.faultIn(after, context);
  if (fault === null || (before !== null && (await format.faultIn(before, context)) !== null)) return [];
  return [
    `${file} is ${before === null ? 'not' : 'no longer'} valid ${format.name}: ${fault}. Correct it, unless this is an intermediate step.`,
  ];
}

/** The same for a file that was edited. */
export function brokenIn(
  file: string,
  { draft: { units, encoding }, after }: { draft: Draft; after: string },
  context: Context,
): Promise<string[]> {
  const texts = { before: textOfUnits(units, encoding), after: textOfUnits(after, encoding) };
  return brokenBy(file, texts, context);
}

function faultOf(parse: () => unknown): string | null {
  try {
    parse();
    return null;
  } catch (error) {
    return ((error as Error).message.split('\n')[0] ?? '').replace(/[.:]$/, '');
  }
}
