import { existsSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { peek } from '../../lib/files/peek.ts';
import { splitGlob } from '../../lib/paths/glob-base.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { realPath } from '../files/real-path.ts';
import type { Variables } from './launch.ts';
import { installations, loginInSettings, movedPlaces, openPlaces, openSettings } from './open-home.ts';

export type HomeOptions = {
  home: string;
  /** Of the commands: the variables that say where toolchains are. */
  env: Variables;
  /** What the user opened in addition. */
  readablePaths: readonly string[];
  allowedPaths: readonly string[];
};

/** The home folders of this user: closed to commands, except for `openInHome`. All are real paths. */
export function homesOf(home: string): string[] {
  const registered = unlessErrno('any', home, () => userInfo().homedir);
  return [...new Set([home, registered].filter((one) => one !== '' && existsSync(one)).map(realPath))].filter(
    (one) => one !== '/',
  );
}

/** What exists of what commands may read in the home folders, as written there: it may be a link. */
export function openInHome(options: HomeOptions): string[] {
  const { env } = options;
  const homes = homesOf(options.home);
  const isProper = (file: string) =>
    homes.some((home) => home !== file && isInside(home, file)) &&
    !homes.some((home) => isInside(file, home));
  const isThere = folderReader();
  const inHomes = (names: readonly string[]) =>
    homes.flatMap((home) => names.map((name) => path.join(home, name))).filter(isThere);
  const settings = [...inHomes(openSettings), ...moved(openSettings, env)];
  const named = [
    ...inHomes(everyPlace),
    ...moved(everyPlace, env),
    ...[...settings, ...settings.flatMap((file) => namedByGit(file, options.home))].filter(holdsNoLogin),
    ...installations.flatMap((name) => env[name] ?? []),
    ...programFolders(env.PATH ?? ''),
    ...userPlaces(options),
  ];
  const [real = options.home] = homes;
  const files = named.map((file) =>
    isInside(options.home, file) ? path.join(real, path.relative(options.home, file)) : path.resolve(file),
  );
  return [...new Set(files)].filter((file) => isProper(file) && existsSync(file));
}

const everyPlace = openPlaces.flatMap((group) => group.places);

/** Tells whether a name exists, by one look into each folder on the way: for long lists of mostly missing files. */
export function folderReader(): (file: string) => boolean {
  const seen = new Map<string, ReadonlySet<string>>();
  const isThere = (file: string): boolean => {
    const folder = path.dirname(file);
    if (folder === file) return true;
    let names = seen.get(folder);
    if (!names) {
      names = new Set(isThere(folder) ? namesIn(folder) : []);
      seen.set(folder, names);
    }
    return names.has(path.basename(file));
  };
  return isThere;
}

/** Further settings that a config file of git names: included ones, and lists of patterns. */
function namedByGit(config: string, home: string): string[] {
  if (!/gitconfig$|git\/config$/.test(config)) return [];
  const values = peek
    .text(config)
    .matchAll(/^\s*(?:path|excludesfile|attributesfile|template)\s*=\s*"?(.*?)"?\s*$/gim);
  return [...values].map(([, written = '']) =>
    path.resolve(
      path.dirname(config),
      written.replace(/^~(?=\/)/, () => home),
    ),
  );
}

/** A program's folder, and its libraries beside it. */
export function programFolders(programs: string): string[] {
  return programs
    .split(':')
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => [
      folder,
      ...(path.basename(folder) === 'bin' ? ['lib', 'libexec', 'include'] : []).map((name) =>
        path.join(path.dirname(folder), name),
      ),
    ])
    .filter(existsSync);
}

function moved(places: readonly string[], env: Variables): string[] {
  return Object.entries(movedPlaces).flatMap(([name, usual]) => {
    const folder = env[name];
    if (folder === undefined || !path.isAbsolute(folder)) return [];
    return places
      .filter((place) => isInside(usual, place))
      .map((place) => path.join(folder, path.relative(usual, place)));
  });
}

/** Of a pattern: the folder in which its matches are. */
function userPlaces({ home, readablePaths, allowedPaths }: HomeOptions): string[] {
  const own = (written: string) => written.replace(/^~(?=\/|$)/, () => home);
  return [
    ...readablePaths.map(own),
    ...allowedPaths.map((pattern) => {
      const { base, pattern: rest } = splitGlob(own(pattern));
      return base === undefined || /[*?[\]{}()!]/.test(rest) ? (base ?? '') : path.join(base, rest);
    }),
  ].filter((file) => path.isAbsolute(file));
}

function holdsNoLogin(file: string): boolean {
  return peek.file(file) !== null && !loginInSettings.test(peek.text(file));
}

/** The names directly in a folder; none if it is a file. */
export function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], [], () => readdirSync(folder));
}
