import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { GrepQuery, Search, SearchOptions } from '../contract/tool.ts';
import { type GrepHit, grepReader } from './grep-records.ts';
import type { Guard } from './guard.ts';
import { nameFilter, namesHidden } from './name-filter.ts';
import { type Found, newestFiles } from './newest-files.ts';
import { slashes } from './path-pattern.ts';
import { ripgrep } from './ripgrep.ts';

export type SearchPlaces = { guard: Guard; cwd: string };

const MAX_COLUMNS = 500;
/** Of more files only those that are shown are judged by name; the count then tells no closed ones apart. */
const MAX_JUDGED = 2_000;

/** `root` ends with a separator. */
type Scope = { root: string; target: string; hidden: boolean };
type PathList = {
  args: string[];
  pattern: string | undefined;
  under: string | undefined;
  type?: string | undefined;
};

/** Not passed without need: ripgrep takes a fifth longer to walk with them. */
const hiddenWalk = ['--hidden', '--iglob=!.git', '--iglob=!.ssh', '--iglob=!.gnupg', '--iglob=!.aws'];

export function createSearch({ guard, cwd }: SearchPlaces): Search {
  const shown = (real: string) => {
    const relative = path.relative(cwd, real);
    return slashes(relative.startsWith('..') || path.isAbsolute(relative) ? real : relative);
  };
  const isOpen = (real: string) => guard.closedBecause(real, 'read') === null;

  async function scopeOf(under: string | undefined): Promise<Scope> {
    const real = await guard.check(under ?? '.', 'read');
    const place = await stat(real);
    const isFolder = place.isDirectory();
    // A pipe would be waited for.
    if (!isFolder && !place.isFile())
      throw new Error(`${under} is neither a file nor a folder; it cannot be searched.`);
    const root = isFolder ? real : path.dirname(real);
    return {
      root: root.endsWith(path.sep) ? root : root + path.sep,
      target: isFolder ? './' : `./${path.basename(real)}`,
      hidden: namesHidden(shown(real)),
    };
  }

  /** The paths of one NUL-separated list that the pattern and the guard let through, the newest first. */
  async function pathsOf({ args, pattern, under, type }: PathList, options: SearchOptions) {
    const { limit, signal, everything } = options;
    const { root, target, hidden } = await scopeOf(under);
    const filter = await nameFilter({ pattern, type, everything });
    // Twice the limit, so that closed files among the newest leave no gap.
    const found = newestFiles<never>(limit * 2);
    let total = 0;
    await ripgrep({
      args: ['--null', ...(hidden || filter.hidden ? hiddenWalk : []), ...filter.args, ...args, '--', target],
      cwd: root,
      signal,
      separator: '\0',
      onRecord(record) {
        const relative = withoutDot(record);
        const real = root + relative;
        if (!filter.matches(slashes(relative)) || (total < MAX_JUDGED && !isOpen(real))) return;
        total++;
        found.open(real);
      },
    });
    const open = found.kept().filter(({ file }) => isOpen(file));
    return { paths: open.slice(0, limit).map(({ file }) => shown(file)), total };
  }

  async function grepLines(query: GrepQuery, { limit, signal, everything }: SearchOptions) {
    const { root, target, hidden } = await scopeOf(query.path);
    const filter = await nameFilter({
      pattern: query.glob,
      type: query.type,
      everything: query.everything ?? everything,
    });
    const context = query.contextLines ?? 0;
    const found = newestFiles<GrepHit>(limit * 2);
    let files = 0;
    let total = 0;
    let current: Found<GrepHit> | null = null;
    const read = grepReader({
      onFile(file) {
        const relative = withoutDot(file);
        const real = root + relative;
        // Every path begins with a dot; what does not is the end of a name with a newline in it.
        const wanted =
          relative !== file && filter.matches(slashes(relative)) && (files++ >= MAX_JUDGED || isOpen(real));
        current = wanted ? found.open(real) : null;
        return wanted;
      },
      onHit(hit) {
        total++;
        if (current && current.hits.length < limit) current.hits.push(hit());
      },
    });
    await ripgrep({
      args: [
        '--null',
        ...(hidden || filter.hidden ? hiddenWalk : []),
        ...filter.args,
        ...(query.mode === 'count' ? ['--count'] : ['--line-number', `--context=${context}`]),
        ...['--no-heading', '--with-filename', '--no-context-separator', '--color=never'],
        ...[`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'],
        ...patternArgs(query),
        ...['--', target],
      ],
      cwd: root,
      signal,
      separator: '\n',
      onRecord: read,
    });
    const open = found.kept().filter(({ file }) => isOpen(file));
    const hits = open.flatMap(({ file, hits: inFile }) => {
      const name = shown(file);
      return inFile.map((hit) => ({ name, ...hit }));
    });
    const lines = hits.slice(0, limit).flatMap(({ name, line, mark, text }, index, all) => {
      if (query.mode === 'count') return [`${name}:${line}`];
      const before = all[index - 1];
      const gap = context > 0 && before && (before.name !== name || before.line + 1 !== line);
      return [...(gap ? ['--'] : []), `${name}${mark}${line}${mark}${text}`];
    });
    return { lines, total };
  }

  return {
    files: (pattern, under, options) => pathsOf({ args: ['--files'], pattern, under }, options),

    async grep(query, options) {
      if (query.mode !== 'files') return grepLines(query, options);
      const { path: under, glob: pattern, type, everything = options.everything ?? false } = query;
      const args = ['--files-with-matches', ...patternArgs(query)];
      const { paths, total } = await pathsOf({ args, pattern, under, type }, { ...options, everything });
      return { lines: paths, total };
    },
  };
}

/** The engine is chosen by need: look-around and back-references take PCRE2. */
function patternArgs({ pattern, ignoreCase, multiline }: GrepQuery): string[] {
  return [
    '--engine=auto',
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(multiline ? ['--multiline', '--multiline-dotall'] : []),
    `--regexp=${pattern}`,
  ];
}

function withoutDot(file: string): string {
  return file.startsWith('./') || file.startsWith('.\\') ? file.slice(2) : file;
}
