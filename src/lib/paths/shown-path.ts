import path from 'node:path';
import { isInside } from './inside.ts';

/** A path for people: relative to the project; outside it absolute, with `~` for the home folder. */
export function shownPath(file: string, { cwd, home }: { cwd: string; home: string }): string {
  const full = path.resolve(cwd, /^~(?=\/|$)/.test(file) ? path.join(home, file.slice(1)) : file);
  if (isInside(cwd, full)) return path.relative(cwd, full) || '.';
  return underHome(full, home);
}

/** An absolute path with `~` for the home folder. */
export function underHome(file: string, home: string): string {
  return isInside(home, file) ? path.join('~', path.relative(home, file)) : file;
}
