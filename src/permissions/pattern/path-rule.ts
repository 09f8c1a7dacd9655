import path from 'node:path';
import picomatch from 'picomatch';
import { isInside } from '../../lib/paths/inside.ts';
import type { Intent } from './intent.ts';

/** What paths in rules are relative to. */
export type RulePlace = {
  cwd: string;
  /** The root of the project; the working directory if absent. */
  root?: string | undefined;
  home?: string | undefined;
};

/** One meaning of a specifier: a pattern below a folder. */
type Reading = { base: string; glob: string };

const MAGIC = /[*?[{(!]/;
/** Folders that every machine has at its root, and projects rarely. */
const MACHINE =
  /^\/(Applications|Library|System|Users|Volumes|boot|dev|etc|home|media|mnt|nix|opt|private|proc|root|run|snap|srv|sys|tmp|usr|var)(\/|$)/;

/** Whether an absolute path is under the specifier. */
export function pathMatcher(
  specifier: string,
  place: RulePlace,
  intent: Intent,
): (absolute: string) => boolean {
  const matchers = readings(specifier, place, intent).map(({ base, glob }) => {
    const matches = globMatcher(glob, intent);
    return (absolute: string) => matches(slashed(path.relative(base, absolute)) || '.');
  });
  return (absolute) => matchers.some((matches) => matches(absolute));
}

/** Whether a folder contains the place that the specifier is about: everything before its first wildcard. */
export function holdsPlace(folder: string, specifier: string, place: RulePlace): boolean {
  return readings(specifier, place, 'restrict').some(({ base, glob }) => {
    const segments = glob.split('/');
    const firstMagic = segments.findIndex((segment) => MAGIC.test(segment));
    const plain = firstMagic === -1 ? segments : segments.slice(0, firstMagic);
    return isInside(folder, path.resolve(base, plain.join('/')));
  });
}

/**
 * Whether an allow rule means this path from the root of the file system, although other assistants read a
 * single slash as the root of the project.
 */
export function isMachinePath(specifier: string, { cwd, home }: RulePlace): boolean {
  const known = [cwd, home].flatMap((folder) => (folder === undefined ? [] : [slashed(folder)]));
  return MACHINE.test(specifier) || known.some((folder) => folder !== '/' && isUnder(folder, specifier));
}

/** An absolute path as a rule that can have no other meaning. */
export function absoluteRule(file: string, cwd: string): string {
  return file.startsWith('/') && !isMachinePath(file, { cwd }) ? `/${file}` : file;
}

/**
 * `//x` is absolute, `~/x` in the home folder, `x` and `./x` relative to the working directory. `/x` is
 * absolute in our rules and relative to the project in those of other assistants: a restricting rule means
 * both. It also means a bare name at any depth.
 */
function readings(specifier: string, place: RulePlace, intent: Intent): Reading[] {
  const { cwd, root = cwd, home } = place;
  if (specifier.startsWith('//')) return [{ base: '/', glob: specifier.slice(2) }];
  if (/^~(\/|$)/.test(specifier)) return home ? [{ base: home, glob: specifier.slice(2) || '.' }] : [];
  if (path.isAbsolute(specifier)) {
    const { root: drive } = path.parse(specifier);
    const absolute = { base: drive, glob: specifier.slice(drive.length) };
    const inProject = { base: root, glob: specifier.slice(drive.length) };
    if (intent === 'allow') return [isMachinePath(specifier, place) ? absolute : inProject];
    return [absolute, inProject, { ...inProject, base: cwd }];
  }
  const relative = { base: cwd, glob: specifier };
  if (intent === 'allow') return [relative];
  const [name, isPrefix] = [specifier.replace(/:\*$/, ''), specifier.endsWith(':*')];
  const wide = isPrefix ? [relative, { base: cwd, glob: `${name}*` }] : [relative];
  const isBare = !name.replace(/\/$/, '').includes('/') && name !== '.' && name !== '..';
  return isBare ? [...wide, ...wide.map(({ base, glob }) => ({ base, glob: `**/${glob}` }))] : wide;
}

function globMatcher(glob: string, intent: Intent): (relative: string) => boolean {
  const wanted = glob.replace(/^(\.\/)+(?!$)/, '').replace(/(.)\/$/, '$1');
  const exact = wanted.replace(/\\(.)/g, '$1');
  if (escapePath(exact) === wanted || !MAGIC.test(wanted)) return (relative) => isUnder(exact, relative);
  const matches = picomatch(wanted, { dot: true, nonegate: true, windows: false });
  if (intent === 'allow') return (relative) => matches(relative);
  // A restricted folder restricts what is in it.
  return (relative) => foldersOf(relative).some((folder) => matches(folder));
}

/** The path and the folders around it; for one outside the base, only itself. */
function foldersOf(relative: string): string[] {
  if (/^\.\.(\/|$)/.test(relative)) return [relative];
  const segments = relative.split('/');
  return segments.map((_, i) => segments.slice(0, segments.length - i).join('/'));
}

/** Escapes wildcards, so that the pattern matches only this text. */
export function escapePath(file: string): string {
  return file.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
}

/** A name without wildcards means the file, or the folder with all its contents. */
function isUnder(place: string, target: string): boolean {
  if (place === '.' || place === '') return !/^\.\.(\/|$)/.test(target);
  return target === place || target.startsWith(place.endsWith('/') ? place : `${place}/`);
}

function slashed(file: string): string {
  return path.sep === '\\' ? file.replaceAll('\\', '/') : file;
}
