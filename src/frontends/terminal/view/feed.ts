import type { AgentEvent } from '../../../contract/event.ts';
import { textOf } from '../../../contract/message.ts';
import type { MarkdownStream, ViewEvent } from './types.ts';

/** A piece of the answer, or of thinking. */
type Delta = { as: 'answer' | 'thought'; text: string };

export type FeedOptions = {
  /** Whether replies are shown as they arrive, or once they are complete. */
  stream: boolean;
  openMarkdown(): MarkdownStream;
  tell(event: ViewEvent): void;
};

type Open =
  | { as: 'answer'; text: string; begun: boolean; markdown: MarkdownStream }
  | { as: 'thought'; text: string };

/** Turns the events of a run into screen updates: splits text into lines. */
export class Feed {
  readonly #options: FeedOptions;
  /** The message that is being streamed. */
  #open: Open | null = null;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  push(event: AgentEvent): void {
    const { stream, tell } = this.#options;
    switch (event.type) {
      case 'cache':
      case 'model_call':
        return;
      case 'text':
      case 'thinking':
        if (stream && event.text !== '')
          this.#say({ as: event.type === 'text' ? 'answer' : 'thought', text: event.text }, { done: false });
        return;
      case 'reclassify':
        this.#reclassify(event.as === 'text' ? 'answer' : 'thought');
        return;
      case 'usage':
      case 'notice':
      case 'tool_progress':
        tell(event);
        return;
      case 'message':
        if (!stream && event.message.role === 'assistant')
          this.#say({ as: 'answer', text: textOf(event.message) }, { done: false });
        break;
      default:
    }
    // Anything from here on comes after the message.
    this.#end();
    tell(event);
  }

  /** The screen was resized. */
  resize(columns: number): void {
    if (this.#open?.as !== 'answer') return;
    this.#open.markdown.resize(columns);
    this.#options.tell({
      type: 'answer',
      lines: [],
      tail: this.#open.markdown.tail(),
      characters: 0,
      done: false,
    });
  }

  /** The end is a single update, so that a message never stays in progress. */
  #end(): void {
    if (this.#open) this.#say({ as: this.#open.as, text: '' }, { done: true });
  }

  #say({ as, text }: Delta, { done }: { done: boolean }): void {
    const { tell } = this.#options;
    if (this.#open && this.#open.as !== as) this.#close();
    this.#open ??= this.#begin(as);
    const open = this.#open;
    open.text += text;
    if (done) this.#open = null;
    if (open.as === 'thought') {
      tell({ type: 'thought', text, done });
      return;
    }
    const { markdown } = open;
    const finished = text === '' ? [] : markdown.push(text);
    const lines = done ? [...finished, ...markdown.end()] : finished;
    open.begun ||= lines.length > 0;
    tell({ type: 'answer', lines, tail: done ? [] : markdown.tail(), characters: text.length, done });
  }

  #begin(as: Delta['as']): Open {
    return as === 'thought'
      ? { as, text: '' }
      : { as, text: '', begun: false, markdown: this.#options.openMarkdown() };
  }

  /** Ends the current message. */
  #close(): void {
    const open = this.#open;
    this.#open = null;
    if (open?.as === 'thought') this.#options.tell({ type: 'thought', text: '', done: true });
    else if (open)
      this.#options.tell({ type: 'answer', lines: open.markdown.end(), tail: [], characters: 0, done: true });
  }

  /**
   * The text so far was of another kind, such as thinking. The scrollback is unchanged, and a note is added.
   */
  #reclassify(as: Delta['as']): void {
    const open = this.#open;
    if (!open || open.as === as) return;
    const { tell } = this.#options;
    if (open.as === 'answer' && open.begun) {
      this.#close();
      tell({ type: 'notice', level: 'info', text: 'The text above was thinking.' });
      return;
    }
    this.#open = null;
    tell({ type: 'unsaid' });
    this.#say({ as, text: open.text }, { done: false });
  }
}
