/** More output from one command would push everything else out of the scrollback. */
const MOST_SHOWN = 200_000;

/** Streams output by complete lines. */
export class LiveLines {
  readonly #print: (text: string) => void;
  #rest = '';
  #shown = 0;

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  take(text: string): void {
    const whole = this.#rest + text;
    const end = whole.lastIndexOf('\n');
    this.#rest = whole.slice(end + 1);
    if (end >= 0) this.#tell(whole.slice(0, end));
  }

  /** Flushes a last line without a line break. */
  end(): void {
    if (this.#rest !== '') this.#tell(this.#rest);
    this.#rest = '';
  }

  #tell(text: string): void {
    if (this.#shown >= MOST_SHOWN) return;
    this.#shown += text.length;
    this.#print(this.#shown < MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}\n(output truncated)`);
  }
}
