type Loaded = { name: string; ms: number };

/** Shorter than this a file is not worth a line of its own. */
const WORTH_MS = 1;

/** What a start spent its time on. Times are in milliseconds from the process's first moment. */
export class StartupTrace {
  readonly #now: () => number;
  readonly #marks = new Map<string, number>();
  readonly #loaded: Loaded[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A point that is reached; only the first time counts. */
  mark(what: string): void {
    if (!this.#marks.has(what)) this.#marks.set(what, this.#now());
  }

  /** A file of code and what it took by itself, without those it loaded in turn. */
  loaded(name: string, ms: number): void {
    this.#loaded.push({ name, ms });
  }

  /** `contents` says what is in a file, where its name does not. */
  table(contents: Readonly<Record<string, string>> = {}): string {
    let before = 0;
    const marks = [...this.#marks].map(([what, at]) => {
      const line = `${ms(at)} ${ms(at - before)}  ${what}`;
      before = at;
      return line;
    });
    const files = this.#loaded
      .filter((file) => file.ms >= WORTH_MS)
      .toSorted((a, b) => b.ms - a.ms)
      .map((file) => `${ms(file.ms)}  ${file.name}  ${contents[file.name] ?? ''}`.trimEnd());
    const all = this.#loaded.reduce((sum, file) => sum + file.ms, 0);
    return [
      '   at ms     took  reached',
      ...marks,
      '',
      ' took ms  file of code',
      ...files,
      `${ms(all)}  all ${this.#loaded.length} files`,
      '',
    ].join('\n');
  }
}

function ms(value: number): string {
  return value.toFixed(1).padStart(8);
}
