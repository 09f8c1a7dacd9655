import { SPIN_MS } from './components/spinner.ts';
import { itemLines } from './components/transcript.ts';
import type { DialogDesk, OpenDialog } from './dialog-queue.ts';
import { isSpacious } from './early/start-rows.ts';
import { promptLines } from './editor/prompt-lines.ts';
import type { PromptModel } from './editor/prompt-model.ts';
import { frameLines } from './frame.ts';
import type { Overlay } from './pager/pager-screen.ts';
import { paint } from './painter/paint.ts';
import type { Painter } from './painter/painter.ts';
import { QuestionGate } from './question-gate.ts';
import type { Surroundings } from './surroundings.ts';
import type { DialogRoom, DialogView } from './view/dialog.ts';
import type { Key, Line, StatusPart } from './view/types.ts';
import type { ViewStore } from './view/view-store.ts';

/** More frames per second than text batches, so that typed text appears immediately. */
const FRAME_MS = 1000 / 60;

type RendererOptions = {
  store: ViewStore;
  dialogs: DialogDesk;
  surroundings: Surroundings;
  prompt: PromptModel;
  painter: Painter;
  statusBar: readonly StatusPart[];
};

/** Draws changes, and passes each key to what was drawn: the open dialog, or else the prompt. */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #stops: (() => void)[] = [];
  readonly #gate: QuestionGate;
  /** Drawn in place of everything else. */
  #overlay: Overlay | null = null;
  #open: OpenDialog | null = null;
  #dialog: DialogView | null = null;
  /** The first visible row of the prompt's text. */
  #promptTop = 0;
  #pending = false;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #spinner: NodeJS.Timeout | undefined;

  constructor(options: RendererOptions) {
    this.#options = options;
    const { dialogs, prompt } = options;
    this.#gate = new QuestionGate({ isEditing: () => prompt.isEditing, listening: dialogs.now });
  }

  start(): void {
    const { store, dialogs, surroundings, prompt, painter } = this.#options;
    painter.onCaughtUp = () => this.#drawPending();
    for (const source of [store, surroundings, prompt])
      this.#stops.push(source.subscribe(() => this.#changed()));
    this.#stops.push(dialogs.subscribe(() => this.#soon()));
    this.draw();
  }

  press(key: Key): void {
    const isForDialog = !this.#open?.isQuestion || this.#gate.takes(key);
    const dialog = isForDialog ? this.#dialog : null;
    if (this.#overlay) this.#overlay.press(key);
    else if (dialog) dialog.press(key);
    else this.#type(key);
  }

  /** Whether a dialog is in the place of the prompt. */
  get showsDialog(): boolean {
    return this.#dialog !== null && !this.#isWaiting;
  }

  /** Shows the question that waits for the prompt to be finished. False if there is none. */
  openQuestion(): boolean {
    if (!this.#isWaiting) return false;
    this.#gate.open();
    this.#changed();
    return true;
  }

  /** Until it is null again, everything else waits to be drawn. */
  overlay(overlay: Overlay | null): void {
    this.#overlay = overlay;
    this.#spin(false);
    this.draw();
  }

  draw(): void {
    clearTimeout(this.#timer);
    this.#pending = false;
    if (this.#overlay) {
      this.#overlay.draw(this.#options.surroundings.now);
      this.#drawnAt = performance.now();
      return;
    }
    this.#mount();
    const { store, surroundings, painter, statusBar, prompt } = this.#options;
    this.#passFinished();
    const lines = frameLines({
      view: store.view,
      surroundings: surroundings.now,
      statusBar,
      modeKey: prompt.keymap.keysOf('cycle-mode')[0] ?? '',
      now: Date.now(),
      isAsked: this.#isWaiting,
      dialog: this.showsDialog ? (room) => this.#dialog?.lines(room) ?? [] : null,
      prompt: (room) => this.#promptLines(room),
    });
    painter.paint(painted(lines));
    this.#gate.drawn(this.showsDialog);
    this.#drawnAt = performance.now();
    this.#spin(store.view.run !== null && !this.showsDialog);
  }

  /** Finished items go into the scrollback; nothing more is drawn. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
    clearTimeout(this.#timer);
    this.#pending = false;
    this.#spin(false);
    this.#dialog?.close?.();
    this.#passFinished();
  }

  /** Draws immediately after a pause; otherwise together with other changes in the next frame. */
  #changed(): void {
    if (this.#pending) return;
    const wait = this.#drawnAt + FRAME_MS - performance.now();
    this.#pending = true;
    if (wait <= 0) this.#soon();
    else this.#timer = setTimeout(() => this.#drawPending(), wait);
  }

  /** Deferred: keys that arrived together with the one that ended a dialog are not for what comes next. */
  #soon(): void {
    this.#pending = true;
    queueMicrotask(() => this.#drawPending());
  }

  /** Waits for a slow terminal: then one frame shows all that has changed meanwhile. */
  #drawPending(): void {
    if (this.#pending && !this.#options.painter.behind) this.draw();
  }

  /** Whether a question waits for the prompt to be finished. */
  get #isWaiting(): boolean {
    return this.#open?.isQuestion === true && this.#gate.isHeld;
  }

  #type(key: Key): void {
    if (key.type === 'key' || key.type === 'paste') this.#gate.typed();
    this.#options.prompt.press(key);
  }

  #mount(): void {
    const open = this.#options.dialogs.current;
    if (open === this.#open) return;
    this.#dialog?.close?.();
    this.#open = open;
    this.#gate.drawn(false);
    const type = (keys: readonly Key[]) => {
      for (const key of keys) this.#type(key);
    };
    this.#dialog = open?.dialog({ onDone: open.onDone, redraw: () => this.#changed(), type }) ?? null;
  }

  #passFinished(): void {
    const { store, surroundings, painter } = this.#options;
    const lines = store.takeFinished().flatMap((item) => itemLines(item, surroundings.now));
    if (lines.length > 0) painter.above(painted(lines));
  }

  #promptLines(room: DialogRoom): Line[] {
    const { state, history } = this.#options.prompt;
    const framed = isSpacious(this.#options.surroundings.now);
    const { lines, top } = promptLines(state, { ...room, top: this.#promptTop, history, framed });
    this.#promptTop = top;
    return lines;
  }

  #spin(spins: boolean): void {
    if (spins) this.#spinner ??= setInterval(() => this.#changed(), SPIN_MS);
    else {
      clearInterval(this.#spinner);
      this.#spinner = undefined;
    }
  }
}

function painted(lines: readonly Line[]): string {
  return lines.map((line) => `${paint(line)}\n`).join('');
}
