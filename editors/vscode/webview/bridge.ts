import type { ChatConnection, ChatEvent } from '../../../web/chat/connection.ts';
import type { ChatMethod, ToHost, ToWebview } from '../src/messages.ts';

/** What the editor gives to a webview. `State` survives while the view is hidden. */
export type VsCodeApi<State> = {
  postMessage(message: ToHost): void;
  getState(): State | undefined;
  setState(state: State): void;
};

type Waiting = { resolve(value: unknown): void; reject(error: Error): void };

/** A connection whose other end is the extension host. */
export class Bridge {
  readonly #post: (message: ToHost) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  #calls = 0;

  constructor(post: (message: ToHost) => void) {
    this.#post = post;
  }

  /** Takes a message of the host. */
  receive(message: ToWebview): void {
    if (message.type === 'events') {
      for (const event of message.events) for (const listener of this.#listeners) listener(event);
    }
    if (message.type !== 'result') return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value);
  }

  readonly connection: ChatConnection = {
    onEvent: (listener) => {
      this.#listeners.add(listener);
      this.#post({ type: 'ready' });
      return () => this.#listeners.delete(listener);
    },
    prompt: this.#method('prompt'),
    cancel: this.#method('cancel'),
    setMode: this.#method('setMode'),
    setOption: this.#method('setOption'),
    answerPermission: this.#method('answerPermission'),
    answerQuestion: this.#method('answerQuestion'),
    typing: this.#method('typing'),
    completeFile: this.#method('completeFile'),
    listSessions: this.#method('listSessions'),
    openSession: this.#method('openSession'),
    newSession: this.#method('newSession'),
    changes: this.#method('changes'),
    acceptHunks: this.#method('acceptHunks'),
    revertHunks: this.#method('revertHunks'),
    openDiff: this.#method('openDiff'),
    openFile: this.#method('openFile'),
    openLink: this.#method('openLink'),
  };

  #method<Method extends ChatMethod>(method: Method): NonNullable<ChatConnection[Method]> {
    const call = (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        this.#calls++;
        this.#waiting.set(this.#calls, { resolve, reject });
        this.#post({ type: 'call', id: this.#calls, method, args } as ToHost);
      });
    return call as NonNullable<ChatConnection[Method]>;
  }
}
