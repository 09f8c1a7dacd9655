/** A text as the server knows it. */
type Document = {
  version: number;
  text: string;
  /** The state of the server's files when it was sent: a newer one may change what is known about it. */
  epoch: number;
};

/** What must be sent so that the server has this text; `reopen` closes the document first. */
export type Sending = { type: 'open' | 'change' | 'reopen' | 'none'; version: number };

/**
 * Which version of each text a server has, and what it published for exactly that version. Versions only grow,
 * also when a document is closed and opened again, so a late result never fits a newer text.
 */
export class Documents<Item> {
  readonly #open = new Map<string, Document>();
  readonly #published = new Map<string, { version: number; items: readonly Item[] }>();
  readonly #listeners = new Set<(path: string) => void>();
  #versions = 0;
  #epoch = 0;

  get size(): number {
    return this.#open.size;
  }

  paths(): string[] {
    return [...this.#open.keys()];
  }

  /** Something other than an open text has changed. */
  worldChanged(): void {
    this.#epoch += 1;
  }

  version(path: string): number | undefined {
    return this.#open.get(path)?.version;
  }

  text(path: string): string | undefined {
    return this.#open.get(path)?.text;
  }

  /**
   * Records that the server gets this text next. With `afresh`, an unchanged text is sent again if anything else
   * changed since, so that what the server publishes for it is up to date.
   */
  set(path: string, text: string, { afresh }: { afresh: boolean }): Sending {
    const open = this.#open.get(path);
    const isOld = open !== undefined && open.epoch !== this.#epoch;
    if (open?.text === text && !(afresh && isOld)) {
      this.#touch(path, open);
      return { type: 'none', version: open.version };
    }
    const isChange = open?.text !== text;
    const version = ++this.#versions;
    // Every other text may now mean something else.
    if (isChange && open !== undefined) this.#epoch += 1;
    this.#published.delete(path);
    this.#touch(path, { version, text, epoch: this.#epoch });
    return { type: open === undefined ? 'open' : isChange ? 'change' : 'reopen', version };
  }

  /** False if it was not open. */
  close(path: string): boolean {
    this.#published.delete(path);
    this.#epoch += 1;
    return this.#open.delete(path);
  }

  /** The documents used least recently, beyond this many. */
  beyond(most: number): string[] {
    return this.paths().slice(0, Math.max(0, this.#open.size - most));
  }

  /** A result without a version, or for another one, does not count. */
  publish(path: string, version: number | null | undefined, items: readonly Item[]): void {
    const open = this.#open.get(path);
    if (open === undefined || version !== open.version) return;
    this.#published.set(path, { version, items });
    for (const listener of this.#listeners) listener(path);
  }

  /** What was published for the version that the server has now. */
  published(path: string): readonly Item[] | undefined {
    const found = this.#published.get(path);
    return found && found.version === this.version(path) ? found.items : undefined;
  }

  /** Called when something was published that counts. Returns a function that removes the listener. */
  onPublished(listener: (path: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The server is gone, and with it everything it knew. */
  clear(): void {
    this.#open.clear();
    this.#published.clear();
    this.#epoch += 1;
  }

  #touch(path: string, document: Document): void {
    this.#open.delete(path);
    this.#open.set(path, document);
  }
}
