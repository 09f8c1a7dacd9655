import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { GrepQuery, Search, SearchOptions } from '../contract/tool.ts';
import type { Guard } from './guard.ts';
import { nameFilter, namesHidden } from './name-filter.ts';
import { slashes } from './path-pattern.ts';
import { isErrno } from './real-path.ts';
import { ripgrep } from './ripgrep.ts';

export type SearchPlaces = { guard: Guard; cwd: string };

/** More lines than these are counted, not kept. */
const MAX_KEPT = 50_000;
/** More files than these are not asked for their age; they come in the order of their names. */
const MAX_DATED = 20_000;
const MAX_COLUMNS = 500;

type Scope = { root: string; target: string; hidden: boolean };
type Hit = { file: string; line: number; mark: string; text: string };

const walk = ['--null', '--iglob=!.git', '--iglob=!.ssh', '--iglob=!.gnupg', '--iglob=!.aws'];

export function createSearch({ guard, cwd }: SearchPlaces): Search {
  const shown = (real: string) => {
    const relative = path.relative(cwd, real);
    return slashes(relative.startsWith('..') || path.isAbsolute(relative) ? real : relative);
  };
  const isOpen = (real: string) => guard.closedBecause(real, 'read') === null;

  async function scopeOf(under: string | undefined): Promise<Scope> {
    const real = await guard.check(under ?? '.', 'read');
    const isFolder = (await stat(real)).isDirectory();
    return {
      root: isFolder ? real : path.dirname(real),
      target: isFolder ? './' : `./${path.basename(real)}`,
      hidden: namesHidden(shown(real)),
    };
  }

  /** Paths of one NUL-separated list that the pattern and the guard let through. */
  async function pathsOf(args: string[], glob: string | undefined, where: Scope & { signal: AbortSignal }) {
    const filter = await nameFilter(glob);
    const found: string[] = [];
    await ripgrep({
      args: [...walk, ...hiddenArgs(where), ...filter.args, ...args, '--', where.target],
      cwd: where.root,
      signal: where.signal,
      separator: '\0',
      onRecord(record) {
        const relative = withoutDot(record);
        const real = path.join(where.root, relative);
        if (filter.matches(slashes(relative)) && isOpen(real)) found.push(real);
      },
    });
    return found;
  }

  async function newest(found: string[], limit: number) {
    const sorted = found.length > MAX_DATED ? found.sort() : await byAge(found);
    return { paths: sorted.slice(0, limit).map(shown), total: found.length };
  }

  async function grepLines(query: GrepQuery, { limit, signal }: SearchOptions) {
    const scope = await scopeOf(query.path);
    const filter = await nameFilter(query.glob);
    const context = query.contextLines ?? 0;
    const hits: Hit[] = [];
    let total = 0;
    await ripgrep({
      args: [
        ...walk,
        ...hiddenArgs(scope),
        ...filter.args,
        ...(query.mode === 'count' ? ['--count'] : ['--line-number', `--context=${context}`]),
        ...['--no-heading', '--with-filename', '--no-context-separator', '--color=never'],
        ...[`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'],
        ...patternArgs(query),
        ...['--', scope.target],
      ],
      cwd: scope.root,
      signal,
      separator: '\n',
      onRecord(record) {
        const hit = toHit(record);
        if (!hit || !filter.matches(slashes(hit.file)) || !isOpen(path.join(scope.root, hit.file))) return;
        total++;
        if (hits.length < MAX_KEPT) hits.push(hit);
      },
    });
    const sorted = hits.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
    const lines = sorted.slice(0, limit).flatMap((hit, index, all) => {
      const { file, line, mark, text } = hit;
      const name = shown(path.join(scope.root, file));
      if (query.mode === 'count') return [`${name}:${line}`];
      const before = all[index - 1];
      const gap = context > 0 && before && (before.file !== file || before.line + 1 !== line);
      return [...(gap ? ['--'] : []), `${name}${mark}${line}${mark}${text}`];
    });
    return { lines, total };
  }

  return {
    async files(pattern, under, { limit, signal }) {
      const scope = await scopeOf(under);
      return newest(await pathsOf(['--files'], pattern, { ...scope, signal }), limit);
    },

    async grep(query, options) {
      if (query.mode !== 'files') return grepLines(query, options);
      const scope = await scopeOf(query.path);
      const args = ['--files-with-matches', ...patternArgs(query)];
      const found = await pathsOf(args, query.glob, { ...scope, signal: options.signal });
      const { paths, total } = await newest(found, options.limit);
      return { lines: paths, total };
    },
  };
}

function hiddenArgs({ hidden }: Scope): string[] {
  return hidden ? ['--hidden'] : [];
}

/** The engine is chosen by need: look-around and back-references take PCRE2. */
function patternArgs({ pattern, ignoreCase }: GrepQuery): string[] {
  return ['--engine=auto', ...(ignoreCase ? ['--ignore-case'] : []), `--regexp=${pattern}`];
}

/** `path NUL line : text`, with `-` for a line of context; or `path NUL count`. Anything else is a remark. */
function toHit(record: string): Hit | null {
  const end = record.indexOf('\0');
  const rest = /^(\d+)(?:([:-])(.*))?$/s.exec(record.slice(end + 1).replace(/\r$/, ''));
  if (end === -1 || !rest) return null;
  return {
    file: withoutDot(record.slice(0, end)),
    line: Number(rest[1]),
    mark: rest[2] ?? ':',
    text: rest[3] ?? '',
  };
}

function withoutDot(file: string): string {
  return file.replace(/^\.[\\/]/, '');
}

/** The most recently changed first; a file that vanished meanwhile goes last. */
async function byAge(files: string[]): Promise<string[]> {
  const dated = await Promise.all(files.map(async (file) => ({ file, changed: await changedAt(file) })));
  return dated.sort((a, b) => b.changed - a.changed || (a.file < b.file ? -1 : 1)).map(({ file }) => file);
}

async function changedAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'])) return 0;
    throw error;
  }
}
