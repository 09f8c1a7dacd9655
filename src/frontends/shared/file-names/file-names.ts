import { indexNames, type Match, type NameIndex, search } from './fuzzy.ts';

/** A list older than this is refreshed while it is still in use. */
const STALE_MS = 10_000;

/** Names are indexed in chunks, so that no key waits for all of them. */
const PIECE = 2_000;

export type FileNamesDeps = {
  /** All files of the project, except ignored ones. */
  list(signal: AbortSignal): Promise<readonly string[]>;
  now(): number;
  /** Called when the names have changed. */
  onChange(): void;
};

/** The names of a project's files and folders: listed on first use, refreshed in the background. */
export class FileNames {
  readonly #deps: FileNamesDeps;
  readonly #closed = new AbortController();
  #files: readonly string[] | null = null;
  #index: NameIndex | null = null;
  #listedAt = Number.NEGATIVE_INFINITY;
  #listing: Promise<void> | null = null;

  constructor(deps: FileNamesDeps) {
    this.#deps = deps;
  }

  /** Searches what is known so far, without waiting; null before the first list is ready. */
  search(query: string, limit: number): Match[] | null {
    if (this.#deps.now() - this.#listedAt > STALE_MS) void this.refresh();
    return this.#index && search(this.#index, query, limit);
  }

  /** Resolves when the running listing is done. A failure keeps the old list. */
  async refresh(): Promise<void> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = null;
      this.#listedAt = this.#deps.now();
    });
    return this.#listing;
  }

  close(): void {
    this.#closed.abort();
  }

  async #list(): Promise<void> {
    const { signal } = this.#closed;
    const files = await this.#deps.list(signal).catch(() => null);
    if (!files || signal.aborted) return;
    const old = this.#files;
    if (old?.length === files.length && files.every((file, at) => file === old[at])) return;
    this.#index = await indexed(files);
    this.#files = files;
    this.#deps.onChange();
  }
}

/** Files and folders, each folder once, before the first of its files. */
async function indexed(files: readonly string[]): Promise<NameIndex> {
  const seen = new Set<string>();
  const names: string[] = [];
  const lower: string[] = [];
  const letters: number[] = [];
  for (let at = 0; at < files.length; at += PIECE) {
    const piece = indexNames(
      files.slice(at, at + PIECE).flatMap((file) => [...newFolders(file, seen), file]),
    );
    names.push(...piece.names);
    lower.push(...piece.lower);
    letters.push(...piece.letters);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { names, lower, letters: Int32Array.from(letters) };
}

/** The folders of a file that were not seen before, outermost first. */
function newFolders(file: string, seen: Set<string>): string[] {
  const folders: string[] = [];
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
    const folder = file.slice(0, at + 1);
    if (seen.has(folder)) break;
    seen.add(folder);
    folders.unshift(folder);
  }
  return folders;
}
