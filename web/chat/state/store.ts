import type { ChatConnection, ChatEvent } from '../connection.ts';
import { reduce } from './reduce.ts';
import { emptyView, type View } from './view.ts';

/** Longest wait for a frame, in milliseconds: a hidden page gets none. */
const LATEST = 250;

export type ComposeEvent = Extract<ChatEvent, { type: 'compose' }>;

/** Keeps the view of one connection, and tells about changes at most once a frame. */
export class ChatStore {
  #view: View = emptyView;
  #waiting: ChatEvent[] = [];
  #cancel: (() => void) | null = null;
  readonly #listeners = new Set<(view: View) => void>();
  readonly #stop: () => void;

  /** `onCompose` gets what is to be added to the prompt, which is not part of the view. */
  constructor(connection: ChatConnection, onCompose: (event: ComposeEvent) => void) {
    this.#stop = connection.onEvent((event) => {
      if (event.type === 'compose') onCompose(event);
      this.#waiting.push(event);
      this.#cancel ??= nextFrame(() => this.#flush());
    });
  }

  get view(): View {
    return this.#view;
  }

  subscribe(listener: (view: View) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#cancel?.();
    this.#listeners.clear();
  }

  #flush(): void {
    this.#cancel = null;
    const events = this.#waiting;
    this.#waiting = [];
    this.#view = reduce(this.#view, events, Date.now());
    for (const listener of this.#listeners) listener(this.#view);
  }
}

function nextFrame(run: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = () => {
    cancel();
    run();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, LATEST);
  return cancel;
}
