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
  /** Keys for the prompt, pressed while a dialog opened. */
  readonly #early: Key[] = [];
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
    (this.#overlay ?? this.#dialog ?? this.#options.prompt).press(key);
  }

  /** Stores a key that was meant for the prompt until it is visible again. */
  keep(key: Key): void {
    this.#early.push(key);
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
      dialog: this.#dialog && ((room) => this.#dialog?.lines(room) ?? []),
      prompt: (room) => this.#promptLines(room),
    });
    painter.paint(painted(lines));
    this.#drawnAt = performance.now();
    this.#spin(store.view.run !== null && this.#dialog === null);
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

  #mount(): void {
    const { dialogs, prompt } = this.#options;
    const open = dialogs.current;
    if (open === this.#open) return;
    this.#dialog?.close?.();
    this.#open = open;
    this.#dialog = open?.dialog({ onDone: open.onDone, redraw: () => this.#changed() }) ?? null;
    if (!open) for (const key of this.#early.splice(0)) prompt.press(key);
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
