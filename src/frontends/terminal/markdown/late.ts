import type { MarkdownStream } from '../view/types.ts';
import type { MarkdownOptions } from './stream.ts';

/** Renders answers. Its code is loaded after the prompt is painted, and before the first answer. */
export class LateMarkdown {
  #open: ((options: MarkdownOptions) => MarkdownStream) | null = null;

  async load(): Promise<void> {
    const { StreamingMarkdown } = await import('./stream.ts');
    this.#open = (options) => new StreamingMarkdown(options);
  }

  open(options: MarkdownOptions): MarkdownStream {
    if (!this.#open) throw new Error('An answer came before the screen was ready for one.');
    return this.#open(options);
  }
}
