/** Beyond this depth, nested quotes and lists are flattened. */
const MAX_NESTING = 10;

type Container = { prefix: string; marker: string | null; isItem: boolean };

/** A sequence of Markdown blocks, each within the currently open lists and quotes. */
export class Blocks {
  readonly #parts: string[] = [];
  readonly #open: Container[] = [];
  #length = 0;
  #lastInList = false;

  get length(): number {
    return this.#length;
  }

  /**
   * A list item or a quote: `marker` precedes its first line, `prefix` all others. Returns its closing
   * function.
   */
  enter({ prefix, marker = null }: { prefix: string; marker?: string | null }): () => void {
    this.#open.push({ prefix, marker, isItem: marker !== null });
    return () => {
      this.#open.pop();
    };
  }

  add(block: string): void {
    const around = this.#open.slice(0, MAX_NESTING);
    const rest = around.map(({ prefix }) => prefix).join('');
    const first = around.map(({ prefix, marker }) => marker ?? prefix).join('');
    for (const container of around) container.marker = null;
    const inList = around.some(({ isItem }) => isItem);
    const gap = this.#length === 0 ? '' : inList && this.#lastInList ? '\n' : '\n\n';
    this.#lastInList = inList;
    const lines = block.split('\n').map((line, i) => ((i === 0 ? first : rest) + line).trimEnd());
    const text = gap + lines.join('\n');
    this.#parts.push(text);
    this.#length += text.length;
  }

  /** Between two positions obtained from `length`. */
  text(from = 0, to = this.#length): string {
    return this.#parts.join('').slice(from, to).trim();
  }
}
