import { existsSync } from 'node:fs';
import path from 'node:path';

/** Whether there is a file or folder of a name, relative to `folder`. */
export function pathExistsIn(folder: string): (name: string) => boolean {
  return (name) => existsSync(path.resolve(folder, name));
}
