import { homedir } from 'node:os';
import { shownPath } from '../../lib/paths/shown-path.ts';

/** A file for the user of this machine. */
export function shownFile(file: string, cwd: string): string {
  return shownPath(file, { cwd, home: homedir() });
}
