import { type Change, isSame } from '../../session/undo/file-state.ts';
import type { GitState } from '../../session/undo/git-state.ts';
import { changesIn, type States, type UndoRecord } from '../../session/undo/undo-log.ts';

/** A prompt: when it was sent, when the next one was, and its position in the conversation. */
export type PromptTime = { at: string; next: string | null; message: number };

/**
 * An undo log in the order of the conversation: which changes the runs of the model made, and which ones came from the
 * user in between, by /undo, /rewind, /changes, a command, or an edit that the next change reveals.
 */
export class Timeline {
  readonly #records: readonly UndoRecord[];
  #at = 0;
  #isOurs = false;
  /** The state of every path as far as the log was followed. */
  readonly known: States = new Map();

  constructor(records: readonly UndoRecord[]) {
    this.#records = records;
  }

  /** What the user did to files before this prompt. */
  before({ at, next, message }: PromptTime): States {
    const states = this.#follow((record) => record.type === 'run' && record.at >= at);
    const run = this.#records[this.#at];
    this.#isOurs =
      run?.type === 'run' && run.message === message && !run.isReview && (next === null || run.at < next);
    if (!this.#isOurs) return states;
    const seen = new Set<string>();
    for (const record of this.#ownRecords())
      for (const { path, before } of changesIn(record)) {
        if (seen.has(path)) continue;
        seen.add(path);
        if (this.known.has(path) && !isSame(this.known.get(path) ?? null, before)) states.set(path, before);
      }
    return states;
  }

  /** Follows the changes of the run of the last prompt: the states that it led to. */
  runEnded(): States {
    const states: States = new Map();
    for (const record of this.#ownRecords()) {
      for (const { path, after } of changesIn(record)) states.set(path, after);
      this.#learn(record);
      this.#at += 1;
    }
    this.#isOurs = false;
    return states;
  }

  /** The state of git before the run of the last prompt: null if there was no repository, undefined if it is not known. */
  get git(): GitState | null | undefined {
    const own = this.#ownRecords();
    const known = own.find((record) => record.type === 'git');
    if (known) return known.state;
    // A run without it among others was before a repository was created.
    return own.length > 0 && this.#records.some(({ type }) => type === 'git') ? null : undefined;
  }

  /** What the nth command of the last prompt's run changed, counted from 0. */
  changesByCommand(index: number): Change[] {
    const ends = this.#ownRecords().filter((record) => record.type === 'command_end');
    return ends[index]?.changes ?? [];
  }

  #ownRecords(): UndoRecord[] {
    if (!this.#isOurs) return [];
    const rest = this.#records.slice(this.#at);
    const end = rest.findIndex(({ type }, i) => i > 0 && ['run', 'undone', 'redone'].includes(type));
    return end === -1 ? rest : rest.slice(0, end);
  }

  #follow(isEnd: (record: UndoRecord) => boolean): States {
    const states: States = new Map();
    for (let record = this.#records[this.#at]; record && !isEnd(record); record = this.#records[this.#at]) {
      for (const { path, after } of changesIn(record)) states.set(path, after);
      this.#learn(record);
      this.#at += 1;
    }
    return states;
  }

  #learn(record: UndoRecord): void {
    for (const { path, after } of changesIn(record)) this.known.set(path, after);
  }
}
