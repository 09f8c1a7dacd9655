import { quotedName } from '../../lib/paths/quoted-name.ts';

/** The matches of one file: each with its context lines. `total` includes matches that were not collected. */
export type FileMatches = { file: string; matches: string[][]; total: number };

export type PageLimits = { lines: number; characters: number };

/** How many matches of each file to try; of many files a few each say more than all of one. */
const PER_FILE = [100, 50, 20, 10, 5, 3, 2, 1];

/** Groups lines of the form `path NUL line mark text` by file; `--` lines separate matches with context. */
export function matchesByFile(lines: readonly string[], context: number): FileMatches[] {
  const files = new Map<string, FileMatches>();
  let isNew = true;
  for (const line of lines) {
    const end = line.indexOf('\0');
    if (end === -1) {
      isNew = true;
      continue;
    }
    const name = line.slice(0, end);
    const file = files.get(name) ?? { file: name, matches: [], total: 0 };
    files.set(name, file);
    const mark = /^\d+([:-])/.exec(line.slice(end + 1))?.[1] ?? ':';
    const shown = `${quotedName(name)}${mark}${line.slice(end + 1)}`;
    const last = file.matches.at(-1);
    if (last && context > 0 && !isNew) last.push(shown);
    else file.matches.push([shown]);
    if (mark === ':') file.total++;
    isNew = false;
  }
  return [...files.values()];
}

/** All of them, with `--` between matches that have context. */
export function flatLines(files: readonly FileMatches[], context: number): string[] {
  const all = files.flatMap(({ matches }) => matches);
  return all.flatMap((match, i) => (i > 0 && context > 0 ? ['--', ...match] : match));
}

/** As many matches per file as fit, the same number for each, and a line that counts the others of a file. */
export function spreadMatches(files: readonly FileMatches[], context: number, limits: PageLimits): string[] {
  for (const perFile of PER_FILE) {
    const lines = files.flatMap((file) => someMatches(file, perFile, context));
    if (fits(lines, limits)) return lines;
  }
  return files.flatMap((file) => someMatches(file, 1, context));
}

function someMatches({ file, matches, total }: FileMatches, most: number, context: number): string[] {
  const some = matches.slice(0, most);
  const shown = some.flat().filter((line) => line.startsWith(`${quotedName(file)}:`)).length;
  const lines = flatLines([{ file, matches: some, total }], context);
  const left = total - shown;
  if (left <= 0) return lines;
  return [...lines, `${quotedName(file)}: ${left}${shown > 0 ? ' more' : ''}`];
}

function fits(lines: readonly string[], { lines: most, characters }: PageLimits): boolean {
  return lines.length <= most && lines.reduce((sum, line) => sum + line.length + 1, 0) <= characters;
}
