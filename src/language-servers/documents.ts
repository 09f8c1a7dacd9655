/** A text as the server knows it. */
type Document = {
  version: number;
  text: string;
  /** The state of the server's files when it was sent: a newer one may change what is known about it. */
  epoch: number;
  /** Something was published for it without a version, which no closing explains. */
  isVague?: boolean;
  isFirst: boolean;
};

/** What must be sent so that the server has this text; `reopen` closes the document first. */
export type Sending = { type: 'open' | 'change' | 'reopen' | 'none'; version: number };

/** What a server published last for a version, and when. */
export type Published<Item> = {
  version: number;
  epoch: number;
  items: readonly Item[];
  at: number;
  /** It was taken for all that there is. */
  isTaken: boolean;
};

/** Publications for the same text that are further apart have different causes. */
const MOST_STAGE_MS = 5_000;

/**
 * Which version of each text a server has, and what it published for exactly that version. Versions only grow,
 * also when a document is closed and opened again, so a late result never fits a newer text.
 */
export class Documents<Item> {
  readonly #open = new Map<string, Document>();
  readonly #published = new Map<string, Published<Item>>();
  readonly #listeners = new Set<(path: string) => void>();
  #versions = 0;
  #epoch = 0;
  #longestStageMs = 0;
  #corrections = 0;
  #hasVersions = false;
  #lacksVersions = false;

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
    this.#touch(path, { version, text, epoch: this.#epoch, isFirst: open === undefined });
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
    if (typeof version === 'number') this.#hasVersions = true;
    else if (items.length > 0) this.#lacksVersions = true;
    // Closing a text clears its diagnostics, which is not about the version that was opened since.
    if (open?.isFirst && typeof version !== 'number') {
      open.isVague = true;
      this.#wake(path);
    }
    if (open === undefined || version !== open.version) return;
    const at = performance.now();
    const earlier = this.#published.get(path);
    if (earlier?.version === version && earlier.epoch === this.#epoch) {
      const stage = at - earlier.at;
      if (stage < MOST_STAGE_MS) this.#longestStageMs = Math.max(this.#longestStageMs, stage);
      if (earlier.isTaken && JSON.stringify(earlier.items) !== JSON.stringify(items)) this.#corrections += 1;
    }
    this.#published.set(path, { version, epoch: this.#epoch, items, at, isTaken: false });
    this.#wake(path);
  }

  /** Call when what was published is taken for all that there is. */
  take(path: string): void {
    const found = this.#published.get(path);
    if (found) found.isTaken = true;
  }

  /** How often something else was published for a text after that. */
  get corrections(): number {
    return this.#corrections;
  }

  /** What was last published for the version that the server has now. */
  published(path: string): Published<Item> | undefined {
    const found = this.#published.get(path);
    return found && found.version === this.version(path) ? found : undefined;
  }

  /** Whether something was published for it that does not say for which version. */
  isVagueAbout(path: string): boolean {
    return this.#open.get(path)?.isVague === true;
  }

  /** The longest time between two publications for the same text: servers publish syntax errors first. */
  get longestStageMs(): number {
    return this.#longestStageMs;
  }

  /** Whether the server never says which version its diagnostics are for. */
  get isVague(): boolean {
    return this.#lacksVersions && !this.#hasVersions;
  }

  /** Called when something was published for a text that the server has. Returns a function that removes the listener. */
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

  #wake(path: string): void {
    for (const listener of this.#listeners) listener(path);
  }

  #touch(path: string, document: Document): void {
    this.#open.delete(path);
    this.#open.set(path, document);
  }
}
