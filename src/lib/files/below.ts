import path from 'node:path';
import { peek } from './peek.ts';

/** The files below a folder, links not followed; `complete` is false if there are more than `max` entries. */
export function filesBelow(folder: string, max: number): { files: string[]; complete: boolean } {
  const files: string[] = [];
  const waiting = [folder];
  let left = max;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { files: names = [], folders = [] } = peek.folder(next) ?? {};
    left -= names.length + folders.length;
    if (left < 0) return { files, complete: false };
    for (const name of names) files.push(path.join(next, name));
    for (const name of folders) waiting.push(path.join(next, name));
  }
  return { files, complete: true };
}
