import type { ChangedFile, ChatConnection, ChatEvent, FileMatch, SessionSummary } from '../connection.ts';

declare global {
  interface Window {
    scripted: ScriptedConnection;
  }
}

export type Call = { method: string; args: unknown[] };

/** What the scripted connection answers. */
export type Answers = {
  files?: FileMatch[];
  sessions?: SessionSummary[];
  changes?: ChangedFile[];
  /** Methods that fail, with their messages. */
  failures?: Record<string, string>;
};

/** A connection without an agent: it plays events, and records what the chat calls. */
export class ScriptedConnection {
  readonly calls: Call[] = [];
  answers: Answers = {};
  readonly #listeners = new Set<(event: ChatEvent) => void>();

  emit(...events: ChatEvent[]): void {
    for (const event of events) for (const listener of this.#listeners) listener(event);
  }

  readonly connection: ChatConnection = {
    onEvent: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
    prompt: (...args) => this.#called('prompt', args),
    cancel: (...args) => this.#called('cancel', args),
    setMode: (...args) => this.#called('setMode', args),
    setOption: (...args) => this.#called('setOption', args),
    answerPermission: (...args) => this.#called('answerPermission', args),
    answerQuestion: (...args) => this.#called('answerQuestion', args),
    typing: (...args) => void this.#called('typing', args),
    completeFile: async (query) => {
      await this.#called('completeFile', [query]);
      return (this.answers.files ?? []).filter(({ path }) => path.includes(query));
    },
    listSessions: async () => {
      await this.#called('listSessions', []);
      return this.answers.sessions ?? [];
    },
    openSession: (...args) => this.#called('openSession', args),
    newSession: (...args) => this.#called('newSession', args),
    changes: async () => this.answers.changes ?? [],
    acceptHunks: (...args) => this.#decide('acceptHunks', args),
    revertHunks: (...args) => this.#decide('revertHunks', args),
    openDiff: (...args) => this.#called('openDiff', args),
    openFile: (...args) => this.#called('openFile', args),
    openLink: (...args) => this.#called('openLink', args),
  };

  async #called(method: string, args: unknown[]): Promise<void> {
    this.calls.push({ method, args });
    const failure = this.answers.failures?.[method];
    if (failure !== undefined) throw new Error(failure);
  }

  /** Hunks that were decided on are gone. */
  async #decide(method: string, [path, ids]: [path: string, ids: string[]]): Promise<void> {
    await this.#called(method, [path, ids]);
    this.answers.changes = (this.answers.changes ?? [])
      .map((file) =>
        file.path === path ? { ...file, hunks: file.hunks.filter(({ id }) => !ids.includes(id)) } : file,
      )
      .filter(({ hunks }) => hunks.length > 0);
    this.emit({ type: 'changes_changed' });
  }
}
