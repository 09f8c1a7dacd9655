import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { GrepQuery, Search, SearchOptions } from '../../contract/tool.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { quotedName } from '../../lib/paths/quoted-name.ts';
import { slashes } from '../files/path-pattern.ts';
import type { Guard } from '../guard.ts';
import { aroundMatches, MAX_COLUMNS } from './around-match.ts';
import { type GrepHit, grepReader, PATH_START } from './grep-records.ts';
import { inTimeOr } from './in-time.ts';
import { nameFilter, namesHidden } from './name-filter.ts';
import { type Found, newestFiles } from './newest-files.ts';
import { hitsInRedacted } from './redacted-search.ts';
import { ripgrep } from './ripgrep.ts';
import { type SearchScope, withScope } from './search-scope.ts';
import { fileText, steadiness, verifiedHits } from './verify-hits.ts';

export type SearchPlaces = {
  guard: Guard;
  cwd: string;
  /** A text as the model may see it: with secrets redacted. */
  redact?(text: string): string;
};

/** With more files, only those shown are checked by name; the count then includes closed ones. */
const MAX_JUDGED = 2_000;

/** How long ripgrep may take to sort everything; on a slow disk only some ages are worth the wait. */
const SORTING_MS = 3_000;

type PathList = {
  args: string[];
  /** Whether the files are only listed, not read. */
  namesOnly: boolean;
  /** What is searched in them. */
  query?: GrepQuery;
  pattern: string | undefined;
  under: string | undefined;
  type?: string | undefined;
};

/** Only passed if needed: they slow down ripgrep's walk by a fifth. */
const hiddenWalk = ['--hidden', '--iglob=!.git', '--iglob=!.ssh', '--iglob=!.gnupg', '--iglob=!.aws'];

export class FileSearch implements Search {
  readonly #guard: Guard;
  readonly #places: SearchPlaces;

  constructor(places: SearchPlaces) {
    this.#guard = places.guard;
    this.#places = places;
  }

  files(pattern: string, under: string | undefined, options: SearchOptions) {
    return this.#pathsOf({ args: ['--files'], namesOnly: true, pattern, under }, options);
  }

  async grep(query: GrepQuery, options: SearchOptions) {
    if (query.mode !== 'files')
      return withScope(query.path ?? '.', this.#guard, (scope) => this.#grepLines(scope, query, options));
    const { path: under, glob: pattern, type, everything = options.everything ?? false } = query;
    const args = ['--files-with-matches', ...patternArgs(query)];
    const list = { args, namesOnly: false, pattern, under, type, query };
    const { paths, total } = await this.#pathsOf(list, { ...options, everything });
    return { lines: paths.map(quotedName), total };
  }

  #pathsOf(list: PathList, options: SearchOptions) {
    return withScope(list.under ?? '.', this.#guard, (scope) => this.#pathsIn(scope, list, options));
  }

  /** The paths of one NUL-separated list that match the pattern and the guard allows, newest first. */
  async #pathsIn(scope: SearchScope, list: PathList, options: SearchOptions) {
    const { args, pattern, type, namesOnly, query } = list;
    const { limit, signal, everything } = options;
    const { root, cwd: folder, file } = scope;
    const hidden = namesHidden(this.#shown(scope.real));
    const input = namesOnly ? undefined : file;
    const filter = await nameFilter({ pattern, type, everything });
    // Twice the limit, so that closed files among the newest leave no gap.
    const room = limit * 2;
    const walk = async (order: 'newest first' | 'any', until: AbortSignal) => {
      const found = newestFiles<never>(room);
      let total = 0;
      await ripgrep({
        args: [
          ...['--null', ...(hidden || filter.hidden ? hiddenWalk : []), ...filter.args, ...args],
          ...(order === 'any' ? [] : ['--sortr=modified']),
          '--',
          ...(input ? [] : [file?.name ?? PATH_START]),
        ],
        cwd: folder,
        input,
        signal: until,
        separator: '\0',
        onRecord: (record) => {
          const relative = record.slice(PATH_START.length);
          const real = root + relative;
          if (!filter.matches(slashes(relative)) || (total < MAX_JUDGED && !this.#isOpen(real))) return;
          total++;
          if (order === 'any' || total <= room) found.open(real);
        },
      });
      return { found, total };
    };
    // If everything is listed, ripgrep sorts it with half the work it would take here.
    const { found, total } =
      namesOnly && filter.all
        ? await inTimeOr({
            ms: SORTING_MS,
            signal,
            attempt: (until) => walk('newest first', until),
            otherwise: () => walk('any', signal),
          })
        : await walk('any', signal);
    const open = found
      .kept()
      .filter(({ file: one }) => (namesOnly ? this.#isOpen(one) : this.#isReadable(one)));
    const paths: string[] = [];
    let dropped = 0;
    for (const { file: one } of open) {
      if (paths.length >= limit) break;
      const hits = query ? await this.#redacted(one, query, signal) : null;
      if (hits?.length === 0) dropped++;
      else paths.push(this.#shown(one));
    }
    return { paths, total: total - dropped };
  }

  async #grepLines(scope: SearchScope, query: GrepQuery, options: SearchOptions) {
    const { limit, signal, everything } = options;
    const { root, cwd: folder, file: input } = scope;
    const hidden = namesHidden(this.#shown(scope.real));
    const filter = await nameFilter({
      pattern: query.glob,
      type: query.type,
      everything: query.everything ?? everything,
    });
    const context = query.contextLines ?? 0;
    const started = Date.now();
    const found = newestFiles<GrepHit>(limit * 2);
    let files = 0;
    let total = 0;
    let counted = { hits: 0, matches: 0 };
    const counts = new Map<string, typeof counted>();
    let current: Found<GrepHit> | null = null;
    const read = grepReader({
      onFile: (relative) => {
        const real = root + relative;
        const wanted = filter.matches(slashes(relative)) && (files++ >= MAX_JUDGED || this.#isOpen(real));
        current = wanted ? found.open(real) : null;
        counted = { hits: 0, matches: 0 };
        counts.set(real, counted);
        return wanted;
      },
      onLine(mark) {
        total++;
        counted.hits++;
        if (mark === ':') counted.matches++;
        return current !== null && current.hits.length < limit;
      },
      onHit: (hit) => current?.hits.push(hit),
    });
    await ripgrep({
      args: [
        ...(hidden || filter.hidden ? hiddenWalk : []),
        ...filter.args,
        ...lineArgs(query),
        ...['--', ...(input ? [] : [PATH_START])],
      ],
      cwd: folder,
      input,
      signal,
      separator: '\n',
      onRecord: read,
    });
    const open = found.kept().filter(({ file }) => this.#isReadable(file));
    const isSteady = steadiness(root, started);
    const hits: (GrepHit & { name: string })[] = [];
    for (const one of open) {
      if (hits.length >= limit) break;
      const instead = await this.#redacted(one.file, query, signal);
      if (instead) {
        total += instead.length - (counts.get(one.file)?.hits ?? 0);
        counts.set(one.file, {
          hits: instead.length,
          matches: instead.filter(({ mark }) => mark === ':').length,
        });
      }
      const isSure = instead !== null || input !== undefined || query.mode === 'count' || isSteady(one.file);
      const name = query.null ? this.#shown(one.file) : quotedName(this.#shown(one.file));
      const sure = isSure ? one.hits : await verifiedHits(one, this.#guard);
      for (const hit of instead ?? (await aroundMatches(sure, fileText(one.file, this.#guard))))
        hits.push({ name, ...hit });
    }
    const lines = hits.slice(0, limit).flatMap(({ name, line, mark, text }, index, all) => {
      const place = `${name}${query.null ? '\0' : mark}${line}`;
      if (query.mode === 'count') return [place];
      const before = all[index - 1];
      const gap = context > 0 && before && (before.name !== name || before.line + 1 !== line);
      return [...(gap ? ['--'] : []), `${place}${mark}${text}`];
    });
    if (query.mode === 'count') return { lines, total };
    const matching = [...counts.values()].filter((one) => one.matches > 0);
    const matches = matching.reduce((sum, one) => sum + one.matches, 0);
    return { lines, total, matches, files: matching.length };
  }

  #shown(real: string): string {
    const relative = path.relative(this.#places.cwd, real);
    return slashes(relative.startsWith('..') || path.isAbsolute(relative) ? real : relative);
  }

  #isOpen(real: string): boolean {
    return this.#guard.closedBecause(real, 'read') === null;
  }

  /** Whether the content may be shown: a secret may have a harmless hard link. */
  #isReadable(real: string): boolean {
    if (!this.#isOpen(real)) return false;
    // Missing meanwhile, or inaccessible: nothing is shown.
    return unlessErrno(
      ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO'],
      false,
      () => this.#guard.otherNameBecause(lstatSync(real)) === null,
    );
  }

  /** As `hitsInRedacted`. */
  async #redacted(file: string, query: GrepQuery, signal: AbortSignal) {
    const { guard, redact } = this.#places;
    return redact ? hitsInRedacted(file, query, { guard, redact, signal, argsOf: lineArgs }) : null;
  }
}

function lineArgs(query: GrepQuery): string[] {
  return [
    '--null',
    ...(query.mode === 'count'
      ? ['--count']
      : ['--line-number', '--column', '--byte-offset', `--context=${query.contextLines ?? 0}`]),
    ...['--no-heading', '--with-filename', '--no-context-separator', '--color=never'],
    ...[`--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'],
    ...patternArgs(query),
  ];
}

/** The engine depends on the pattern: look-around and back-references need PCRE2. */
function patternArgs({ pattern, ignoreCase, multiline }: GrepQuery): string[] {
  return [
    '--engine=auto',
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(multiline ? ['--multiline', '--multiline-dotall'] : []),
    `--regexp=${pattern}`,
  ];
}
