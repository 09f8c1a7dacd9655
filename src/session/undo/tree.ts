import path from 'node:path';
import type { FileState } from './file-state.ts';

/**
 * Identifies an unchanged file without reading it. `sure` is false just after a change; `shared` is true for
 * a file with other hard links.
 */
export type Stamp = {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  sure: boolean;
  shared?: boolean;
};

export type Entry = FileState & { stamp: Stamp };

/** The known entries under a folder, by folder. */
export class Tree {
  readonly #folders = new Map<string, Map<string, Entry>>();
  /** Hard-linked files: changes by another name cause no event here. */
  readonly shared = new Set<string>();
  size = 0;
  bytes = 0;

  get(file: string): Entry | undefined {
    return this.#folders.get(path.dirname(file))?.get(path.basename(file));
  }

  /** By name. */
  in(folder: string): ReadonlyMap<string, Entry> | undefined {
    return this.#folders.get(folder);
  }

  /** Folders that are not empty. */
  folders(): IterableIterator<string> {
    return this.#folders.keys();
  }

  *all(): Generator<[file: string, entry: Entry]> {
    for (const [folder, entries] of this.#folders)
      for (const [name, entry] of entries) yield [path.join(folder, name), entry];
  }

  set(file: string, entry: Entry): void {
    this.delete(file);
    const folder = path.dirname(file);
    const entries = this.#folders.get(folder);
    if (entries) entries.set(path.basename(file), entry);
    else this.#folders.set(folder, new Map([[path.basename(file), entry]]));
    this.size += 1;
    this.bytes += bytesOf(entry);
    if (entry.stamp.shared) this.shared.add(file);
  }

  /** Only this path, not what is under it. */
  delete(file: string): void {
    const folder = path.dirname(file);
    const entries = this.#folders.get(folder);
    const known = entries?.get(path.basename(file));
    if (!entries || !known) return;
    entries.delete(path.basename(file));
    if (entries.size === 0) this.#folders.delete(folder);
    this.size -= 1;
    this.bytes -= bytesOf(known);
    this.shared.delete(file);
  }

  /** All paths under a folder, without the folder itself. */
  under(folder: string): string[] {
    const entries = this.#folders.get(folder);
    if (!entries) return [];
    return [...entries].flatMap(([name, { type }]) => {
      const file = path.join(folder, name);
      return type === 'folder' ? [file, ...this.under(file)] : [file];
    });
  }
}

export function bytesOf({ type, hash, stamp }: Entry): number {
  return type === 'file' && hash !== null ? stamp.size : 0;
}
