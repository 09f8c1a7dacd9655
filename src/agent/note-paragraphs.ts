import type { AgentEvent } from '../contract/event.ts';
import type { ProviderEvent } from '../contract/provider.ts';

type TextEvent = Extract<AgentEvent, { type: 'text' }>;

/** Separates the progress notes of a reply, and its text after them, as paragraphs. */
export class NoteParagraphs {
  #last: 'note' | 'text' | null = null;
  #closed = false;

  /** The text event as people read it. Called with every event of the reply. */
  read(event: ProviderEvent): TextEvent | null {
    if (event.type === 'thinking_signature') this.#closed = true;
    if (event.type !== 'text' || event.text === '') return null;
    const kind = event.note ? 'note' : 'text';
    const isNew = this.#last !== null && (kind !== this.#last || (kind === 'note' && this.#closed));
    this.#last = kind;
    this.#closed = false;
    return isNew ? { ...event, text: `\n\n${event.text}` } : event;
  }
}
