import type { DictateOptions } from '../../../app/voice/dictate.ts';
import { UserError } from '../../../contract/errors.ts';
import { METER_COLUMNS } from '../components/voice-line.ts';
import { type Action, type Keymap, strokeOf } from '../keyboard/keymap.ts';
import type { Key, ViewEvent, VoiceState } from '../view/types.ts';
import { HeldKey } from './held-key.ts';

/** Records until it is told to finish, and returns the words. Rejects with a `UserError`. */
export type Dictate = (options: Omit<DictateOptions, 'microphone'>) => Promise<string>;

export type VoiceDeps = {
  keymap: Keymap;
  dictate: Dictate;
  show(state: VoiceState | null): void;
  insert(words: string): void;
  warn(text: string): void;
  reportReleases(reports: boolean): void;
};

/** What it needs of the screen. */
export type VoiceScreen = {
  prompt: { keymap: Keymap; insert(words: string): void };
  store: { dispatch(event: ViewEvent): void };
  terminal: { reportReleases(reports: boolean): void };
  dialogs: { current: unknown; subscribe(listener: () => void): void };
};

export function voiceOn({ prompt, store, terminal, dialogs }: VoiceScreen, dictate: Dictate): VoicePrompt {
  const voice = new VoicePrompt({
    keymap: prompt.keymap,
    dictate,
    show: (state) => store.dispatch({ type: 'voice', state }),
    insert: (words) => prompt.insert(words),
    warn: (text) => store.dispatch({ type: 'notice', level: 'warn', text }),
    reportReleases: (reports) => terminal.reportReleases(reports),
  });
  // A dialog hides the meter: nobody is recorded without seeing it.
  dialogs.subscribe(() => {
    if (dialogs.current !== null) voice.finish();
  });
  return voice;
}

/** The meter moves this often. */
const METER_MS = 80;

/** These hide the prompt and the meter. */
const LEAVING: ReadonlySet<Action> = new Set<Action>(['suspend', 'transcript', 'edit-externally']);

type Dictation = {
  key: HeldKey;
  finish: AbortController;
  cancel: AbortController;
  /** Ends the recording unless another press comes first. */
  end: NodeJS.Timeout | undefined;
};

/** Dictation into the prompt, one at a time. The text is inserted at the caret, never sent. */
export class VoicePrompt {
  readonly #deps: VoiceDeps;
  #now: Dictation | null = null;
  #shown: VoiceState | null = null;

  constructor(deps: VoiceDeps) {
    this.#deps = deps;
  }

  /** `byKey`: the key may still be down. */
  start({ byKey }: { byKey: boolean }): void {
    if (this.#now) return;
    const { show, insert, warn, reportReleases } = this.#deps;
    const dictation: Dictation = {
      key: new HeldKey(performance.now(), { isTapped: !byKey }),
      finish: new AbortController(),
      cancel: new AbortController(),
      end: undefined,
    };
    this.#now = dictation;
    reportReleases(true);
    this.#show({ type: 'recording', levels: [], ms: 0, isHeld: false, destination: null });
    const words = this.#dictate(dictation);
    void words
      .then(insert, (error: unknown) => {
        if (dictation.cancel.signal.aborted) return;
        warn(error instanceof UserError ? `${error.message} ${error.hint}` : `Voice input failed: ${error}`);
      })
      .finally(() => {
        clearTimeout(dictation.end);
        this.#now = null;
        reportReleases(false);
        this.#shown = null;
        show(null);
      });
  }

  /** Whether the key was for the recording, and not for the prompt. */
  press(key: Key): boolean {
    if (!this.#now) return false;
    if (key.type === 'release') return this.#release(key.name);
    if (key.type !== 'key') return false;
    const action = this.#deps.keymap.find('prompt', strokeOf(key));
    switch (action) {
      case 'voice':
        this.#endAt(this.#now.key.press(performance.now(), { repeated: key.repeated ?? false }));
        return true;
      case 'submit':
        this.finish();
        return true;
      case 'interrupt':
      case 'cancel':
        this.cancel();
        return true;
      default:
        if (action && LEAVING.has(action)) this.finish();
        return false;
    }
  }

  /** What was said is transcribed. */
  finish(): void {
    this.#now?.finish.abort();
  }

  /** What was said is dropped. */
  cancel(): void {
    this.#now?.cancel.abort();
  }

  #dictate({ key, finish, cancel }: Dictation): Promise<string> {
    let destination: string | null = null;
    let levels: number[] = [];
    let shownAt = Number.NEGATIVE_INFINITY;
    return this.#deps.dictate({
      finish: finish.signal,
      signal: cancel.signal,
      isHeld: () => key.isHeld,
      onDestination: (found) => {
        destination = found;
        if (this.#shown) this.#show({ ...this.#shown, destination });
      },
      onLevel: (level, ms) => {
        if (performance.now() - shownAt < METER_MS) return;
        shownAt = performance.now();
        levels = [...levels, level].slice(-METER_COLUMNS);
        this.#show({ type: 'recording', levels, ms, isHeld: key.isHeld, destination });
      },
      onRecorded: () => this.#show({ type: 'transcribing', destination: destination ?? '' }),
    });
  }

  #release(name: string): boolean {
    const isVoiceKey = this.#deps.keymap
      .keysOf('voice')
      .some((stroke) => stroke.split(/[+ ]/).at(-1) === name);
    if (this.#now && isVoiceKey) this.#endAt(this.#now.key.release(performance.now()));
    return true;
  }

  #endAt(at: number | null): void {
    if (!this.#now) return;
    clearTimeout(this.#now.end);
    if (at !== null) this.#now.end = setTimeout(() => this.finish(), at - performance.now());
  }

  #show(state: VoiceState): void {
    this.#shown = state;
    this.#deps.show(state);
  }
}
