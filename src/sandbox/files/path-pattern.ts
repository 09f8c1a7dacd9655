import path from 'node:path';
import { foldPath } from '../../lib/paths/fold-path.ts';

export type PatternPlaces = { cwd: string; home: string };

/**
 * A path as users write it in a config list: absolute, `~/`, or relative to the working directory; a bare name
 * stands for that name anywhere. `*` and `?` stay within a segment, `**` crosses them. What matches a folder
 * covers everything under it. Case and the form of a character do not count, because on some disks they do not.
 */
export function pathMatcher(pattern: string, places: PatternPlaces): (absolute: string) => boolean {
  const expanded = slashes(pattern).replace(/^~(?=\/|$)/, () => slashes(places.home));
  const trimmed = expanded.replace(/\/+$/, '');
  const rooted = trimmed.includes('/') ? slashes(path.resolve(places.cwd, trimmed)) : `**/${trimmed}`;
  const regex = new RegExp(`^${toSource(foldPath(rooted))}(/|$)`);
  return (absolute) => regex.test(foldPath(slashes(absolute)));
}

export function slashes(file: string): string {
  return path.sep === '\\' ? file.replaceAll('\\', '/') : file;
}

function toSource(pattern: string): string {
  return pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    return token.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
}
