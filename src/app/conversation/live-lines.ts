/** More of one command's output would push everything else off the scrollback. */
const MOST_SHOWN = 200_000;

/** Output as it comes, told by whole lines. */
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

  /** The last line may have no end. */
  end(): void {
    if (this.#rest !== '') this.#tell(this.#rest);
    this.#rest = '';
  }

  #tell(text: string): void {
    if (this.#shown >= MOST_SHOWN) return;
    this.#shown += text.length;
    this.#print(this.#shown < MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}\n(more is not shown)`);
  }
}
