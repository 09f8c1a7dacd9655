import { existsSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../lib/paths/inside.ts';
import { realPath } from '../files/real-path.ts';
import { programFolders } from './home.ts';
import { outerWalls, type PlacesOptions, type Walls } from './walls.ts';

/**
 * Shared by all users: a command gets private empty ones, and the sockets in there are unreachable. Its `/tmp` is that of
 * the session.
 */
export const emptied = ['/tmp', '/var/tmp', '/run'];

export function emptyPlaces(): string[] {
  return [...new Set(emptied.filter(existsSync).map((place) => realPath(place)))];
}

/** Commands get their own, or the kernel's. */
const kernelFolders = ['/proc', '/sys', '/dev'];

/** What commands see inside of what is closed; `programs` is their PATH. */
export function shownPlaces({ shown, hidden }: Walls, programs: string): string[] {
  const closed = new Set(hidden.map((one) => one.path));
  const places = [...shown, ...programFolders(programs), path.dirname(process.execPath)];
  return places.filter((file) => !closed.has(realPath(file)));
}

/**
 * Tells whether commands in the sandbox can read a real path outside the projects, so that tools may read the same. As
 * with mounts, the innermost place decides.
 */
export function commandView(options: PlacesOptions): (real: string) => boolean {
  const walls = outerWalls(options);
  const closed = [...emptyPlaces(), ...kernelFolders, ...walls.hidden.map((one) => one.path)];
  const open = [...shownPlaces(walls, options.env.PATH ?? '').map((file) => realPath(file)), ...walls.roots];
  return (real) => innermost(open, real) >= innermost(closed, real);
}

/** The length of the longest of these places that contains a path; -1 if none does. */
function innermost(places: readonly string[], real: string): number {
  return Math.max(-1, ...places.filter((place) => isInside(place, real)).map(({ length }) => length));
}
