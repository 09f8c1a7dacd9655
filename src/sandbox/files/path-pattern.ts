import path from 'node:path';
import { foldPath } from '../../lib/paths/fold-path.ts';

export type PatternPlaces = { cwd: string; home: string };

/**
 * A path as written in a config list: absolute, `~/`, or relative to the working directory; a bare name
 * matches anywhere. `*` and `?` stay within a segment, `**` crosses segments. A pattern that matches a folder
 * covers everything under it. Case and Unicode form are ignored, because some disks ignore them.
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
