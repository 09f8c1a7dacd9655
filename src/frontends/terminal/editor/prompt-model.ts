import type { TypedPrompt } from '../../../app/conversation/prompt-queue.ts';
import { FileNames } from '../../shared/file-names/file-names.ts';
import { indexNames, search } from '../../shared/file-names/fuzzy.ts';
import { type AttachDeps, attachCopied, attachImage } from '../attach-image.ts';
import type { Keymap } from '../keyboard/keymap.ts';
import type { Key, ScreenAction } from '../view/types.ts';
import { type Offer, wantedAt } from './completion.ts';
import { type Editor, type Effect, emptyEditor, press, withText } from './editor.ts';
import { type Fold, labelOf } from './folds.ts';
import { folded, inserted } from './text-buffer.ts';

/** More than a user would scroll through. */
const MOST_OFFERS = 50;

/** The label of an attached image in the text. */
const IMAGE_LABEL = /\[image ([^\]\n]*)\]/g;

export type PromptDeps = {
  keymap: Keymap;
  mode: 'emacs' | 'vim';
  /** Earlier prompts, oldest first. */
  history(): readonly string[];
  commands(): readonly { name: string; description: string }[];
  /** All files of the project, except ignored ones; always in the same order. */
  listFiles(signal: AbortSignal): Promise<readonly string[]>;
  images: AttachDeps;
  /** The number of queued prompts; `recall` removes the last for editing. */
  queued(): number;
  recall(): TypedPrompt | null;
  /** Owns the terminal meanwhile. Null when nothing was changed. */
  editExternally(text: string): Promise<string | null>;
  submit(prompt: TypedPrompt): void;
  /** Sends again what failed, if anything did. */
  retry(): void;
  act(action: ScreenAction): void;
  /** One line that the next key removes. */
  hint(text: string): void;
  now(): number;
};

/** `listing` is true while file names are still being listed. */
export type PromptState = { editor: Editor; offers: readonly Offer[]; listing: boolean };

/** The prompt being edited: handles keys, completes, passes on what is sent. Draws nothing. */
export class PromptModel {
  readonly #deps: PromptDeps;
  readonly #files: FileNames;
  readonly #listeners = new Set<() => void>();
  #state: PromptState;
  #width = 80;
  #isEditingElsewhere = false;

  constructor(deps: PromptDeps) {
    this.#deps = deps;
    this.#files = new FileNames({
      list: (signal) => deps.listFiles(signal),
      now: () => deps.now(),
      onChange: () => this.#refreshed(),
    });
    this.#state = { editor: emptyEditor(deps.mode), offers: [], listing: false };
  }

  get state(): PromptState {
    return this.#state;
  }

  /** Whether there is text to send, or a search for it. */
  get isEditing(): boolean {
    const { buffer, search: searching } = this.#state.editor;
    return buffer.text !== '' || searching !== null;
  }

  get keymap(): Keymap {
    return this.#deps.keymap;
  }

  /** Earlier prompts, for the search. */
  get history(): readonly string[] {
    return this.#deps.history();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Columns for the text, used by vertical moves. */
  resize(width: number): void {
    this.#width = width;
  }

  press(key: Key): void {
    const { keymap, history, queued, now } = this.#deps;
    const { editor, effect } = press(this.#state.editor, key, {
      keymap,
      width: this.#width,
      history: history(),
      offers: this.#state.offers,
      queued: queued(),
      now: now(),
    });
    this.#become(editor);
    if (effect) this.#carryOut(effect);
  }

  /** Puts a prompt back for editing, replacing the current text. */
  fill({ text, images }: TypedPrompt): void {
    const names = Array.from(text.matchAll(IMAGE_LABEL), ([, name = '']) => name);
    const folds = images.map((image, i): Fold => ({ type: 'image', name: names[i] ?? '', image }));
    this.#become(withImages(withText(this.#state.editor, text), folds));
  }

  /** Inserts words at the caret, with spaces between them and the text around. */
  insert(words: string): void {
    const { editor } = this.#state;
    const { text, at } = editor.buffer;
    const before = /\S$/.test(text.slice(0, at)) ? ' ' : '';
    const after = /^\S/.test(text.slice(at)) ? ' ' : '';
    const buffer = inserted(editor.buffer, `${before}${words}${after}`);
    this.#become({ ...editor, buffer, goal: null, search: null, stroke: null });
  }

  close(): void {
    this.#files.close();
  }

  #become(editor: Editor): void {
    this.#state = { editor, ...this.#offersFor(editor) };
    for (const listener of this.#listeners) listener();
  }

  /** The names have changed: keeps the selected completion, wherever it is now. */
  #refreshed(): void {
    const { editor, offers } = this.#state;
    const value = offers[editor.chosen]?.value;
    this.#become(editor);
    const chosen = this.#state.offers.findIndex((offer) => offer.value === value);
    if (chosen !== editor.chosen) this.#become({ ...editor, chosen: Math.max(0, chosen) });
  }

  #offersFor({ buffer, search: searching }: Editor): Omit<PromptState, 'editor'> {
    const wanted = searching === null ? wantedAt(buffer) : null;
    if (!wanted) return { offers: [], listing: false };
    if (wanted.type === 'command') return { offers: this.#commandOffers(wanted.query), listing: false };
    const found = this.#files.search(wanted.query, MOST_OFFERS);
    const offers = (found ?? []).map(({ name, marks }): Offer => {
      return { type: 'file', value: name, label: name, detail: '', marks };
    });
    return { offers, listing: found === null };
  }

  #commandOffers(query: string): Offer[] {
    const commands = this.#deps.commands();
    const about = new Map(commands.map(({ name, description }) => [name, description]));
    return search(indexNames([...about.keys()]), query, MOST_OFFERS).map(({ name, marks }) => {
      return { type: 'command', value: name, label: name, detail: about.get(name) ?? '', marks };
    });
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'submit':
        this.#deps.submit(effect.submitted);
        return;
      case 'retry':
        this.#deps.retry();
        return;
      case 'screen':
        if (effect.action === 'recall-queued') this.#takeBack();
        else this.#deps.act(effect.action);
        return;
      case 'edit-externally':
        void this.#writeElsewhere(effect.text);
        return;
      case 'paste-image':
        void this.#pasteImage();
        return;
      case 'attach':
        void this.#attach(effect.path, effect.text);
        return;
      default:
        effect satisfies never;
    }
  }

  #takeBack(): void {
    const prompt = this.#deps.recall();
    if (prompt) this.fill(prompt);
  }

  async #writeElsewhere(text: string): Promise<void> {
    if (this.#isEditingElsewhere) return;
    this.#isEditingElsewhere = true;
    try {
      const written = await this.#deps.editExternally(text);
      if (written === null) this.#deps.hint('The editor returned no text. Set EDITOR to the editor you use.');
      else if (written !== text) {
        const { editor } = this.#state;
        this.#become(withImages(withText(editor, written), [...editor.buffer.folds.values()]));
      }
    } catch (error) {
      this.#deps.hint(
        `Could not start the editor (${(error as Error).message}). Set EDITOR to the editor you use.`,
      );
    } finally {
      this.#isEditingElsewhere = false;
    }
  }

  /** The image is inserted at the caret position when it is ready. */
  async #pasteImage(): Promise<void> {
    const attached = await attachCopied(this.#deps.images);
    if (attached.type === 'refused') {
      this.#deps.hint(attached.because);
      return;
    }
    const { editor } = this.#state;
    const { at } = editor.buffer;
    this.#become({ ...editor, buffer: folded(editor.buffer, attached, { from: at, to: at }) });
  }

  /** Replaces the path by the image, if it is still there. */
  async #attach(path: string, text: string): Promise<void> {
    const attached = await attachImage(path, this.#deps.images);
    if (attached.type === 'refused') {
      this.#deps.hint(attached.because);
      return;
    }
    const { editor } = this.#state;
    const from = editor.buffer.text.lastIndexOf(text);
    if (from < 0) return;
    this.#become({ ...editor, buffer: folded(editor.buffer, attached, { from, to: from + text.length }) });
  }
}

/** Reattaches images whose label is in the text; the others are dropped. */
function withImages(editor: Editor, folds: readonly Fold[]): Editor {
  let { buffer } = editor;
  for (const fold of folds) {
    const label = labelOf(fold);
    const from = buffer.text.indexOf(label);
    if (fold.type === 'image' && from >= 0) buffer = folded(buffer, fold, { from, to: from + label.length });
  }
  return { ...editor, buffer };
}
