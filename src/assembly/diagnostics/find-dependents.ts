import path from 'node:path';
import type { Search } from '../../contract/tool.ts';

/** So many files that use a changed one are checked, the most recently changed first. */
const MOST = 12;
/** Files that mention it, of any kind: some are no code. */
const MOST_MENTIONS = 40;

/** Files that stand for their folder: others name that. */
const FOLDER_FILES: ReadonlySet<string> = new Set(['index', '__init__', 'mod', 'main', 'lib', 'init']);
/** In these languages the files of a folder see each other without naming each other. */
const SHARES_FOLDER = /\.(?:go|java|kts?|cs|swift|scala|vb)$/;

export type DependentsOptions = {
  cwd: string;
  search: Pick<Search, 'files' | 'grep'>;
  /** Whether the server that checks the changed file also checks this one. */
  isServed(file: string): boolean;
  signal: AbortSignal;
};

/** Files that a change of `file` may break although nobody touches them: those that mention its name. */
export async function findDependents(
  file: string,
  { cwd, search, isServed, signal }: DependentsOptions,
): Promise<string[]> {
  const folder = path.dirname(file);
  const stem = path.basename(file).replace(/\.\w+$/, '');
  const name = FOLDER_FILES.has(stem) ? path.basename(folder) : stem;
  const options = { limit: MOST_MENTIONS, signal };
  const word = name.replaceAll(/[^\w\s]/g, '\\$&');
  const siblings = SHARES_FOLDER.test(file)
    ? (await search.files(`*${path.extname(file)}`, folder, options)).paths
    : [];
  const mentions =
    name === ''
      ? []
      : (await search.grep({ pattern: `(?:^|\\W)${word}(?:\\W|$)`, mode: 'files' }, options)).lines;
  const found = [...siblings, ...mentions].map((one) => path.resolve(cwd, one));
  return [...new Set(found)].filter((one) => one !== file && isServed(one)).slice(0, MOST);
}
