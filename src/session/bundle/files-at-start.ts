import { readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { foundAs, statIfAny } from '../undo/file-state.ts';
import { BUILT, defaultLimits } from '../undo/tree-walk.ts';
import { type FileAtStart, statesAtStart, type UndoRecord } from '../undo/undo-log.ts';
import { isVersionControl } from './portable-undo.ts';

export type StartOptions = {
  /** Without links. */
  folder: string;
  records: readonly UndoRecord[];
  /** What the conversation says; null for all files. */
  texts: readonly string[] | null;
  /** Never included. */
  excluded: ReadonlySet<string>;
};

/**
 * The files and folders of a working directory that a conversation names, or all of them, as they were at the start of the
 * session: those that it changed from its undo log, the others as they are now. Without what tools can rebuild, and with
 * the folders they are in.
 */
export function filesAtStart({ folder, records, texts, excluded }: StartOptions): FileAtStart[] {
  const isWanted = texts === null ? () => true : naming(texts, folder);
  const changed = statesAtStart(records);
  const found = new Map<string, FileAtStart>();
  const look = (place: string): void => {
    for (const name of namesIn(place)) {
      const file = path.join(place, name);
      const stat = statIfAny(file);
      // What the session made was not there at its start.
      if (!stat || isVersionControl(name) || excluded.has(file) || changed.get(file) === null) continue;
      const isFolder = stat.isDirectory();
      if (isFolder && BUILT.has(name) && namesIn(file).length > 0) continue;
      if ((isFolder || stat.size <= defaultLimits.fileBytes) && isWanted(file)) add(file);
      if (isFolder) look(file);
    }
  };
  const add = (file: string): void => {
    if (file === folder || found.has(file) || changed.has(file)) return;
    add(path.dirname(file));
    const stat = statIfAny(file);
    const state = stat && unlessErrno(['ENOENT', 'EACCES'], null, () => foundAs(file, stat).state);
    if (state && state.type !== 'other') found.set(file, { path: file, state });
  };
  look(folder);
  return [...found.values()];
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES'], [], () => readdirSync(folder)).sort();
}

/** Whether texts name a file: by its path, or by its name alone. */
function naming(texts: readonly string[], folder: string): (file: string) => boolean {
  const words = new Set<string>();
  for (const text of texts) {
    words.add(text);
    for (const line of text.split('\n')) words.add(line.trim());
    for (const word of text.split(/[\s"'`,;:()<>[\]{}|=]+/)) words.add(word.replace(/^\.\/|[.?!/]+$/g, ''));
  }
  return (file) => [file, path.relative(folder, file), path.basename(file)].some((name) => words.has(name));
}
