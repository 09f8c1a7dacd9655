import type { Surroundings } from '../surroundings.ts';
import type { Line, MarkdownStream } from '../view/types.ts';
import type { MarkdownOptions } from './stream.ts';

/** Renders answers. Its code is loaded after the prompt is painted, and before the first answer. */
export class LateMarkdown {
  readonly #surroundings: Surroundings;
  readonly #links: boolean;
  #open: ((options: MarkdownOptions) => MarkdownStream) | null = null;

  constructor(surroundings: Surroundings, { links }: { links: boolean }) {
    this.#surroundings = surroundings;
    this.#links = links;
  }

  async load(): Promise<void> {
    const { StreamingMarkdown } = await import('./stream.ts');
    this.#open = (options) => new StreamingMarkdown(options);
  }

  open(): MarkdownStream {
    if (!this.#open) throw new Error('An answer came before the screen was ready for one.');
    const { columns: width, theme, highlighter } = this.#surroundings.now;
    return this.#open({ width, theme, highlighter, links: this.#links });
  }

  /** A complete answer. */
  render(text: string): Line[] {
    const stream = this.open();
    return [...stream.push(text), ...stream.end()];
  }
}
