import { Writable } from 'node:stream';
import type { RowTokens } from '../view/row-tokens.ts';
import type { Painter } from './painter.ts';

/** More than any screen has: Ink is never to think that its frame fills the screen, which it would clear then. */
const ENDLESS = 100_000;

/** What Ink calls to put a frame on the screen. */
type FrameLog = {
  (frame: string): boolean;
  clear(): void;
  done(): void;
  sync(frame: string): void;
  setCursorPosition(): void;
  isCursorDirty(): boolean;
  willRender(): boolean;
};

/** The screen as Ink sees it. Frames come through `log`; what is written is finished text. */
export class PaintedStream extends Writable {
  readonly isTTY = true;
  readonly rows = ENDLESS;
  readonly log: FrameLog;
  /** Rows come as tokens. */
  readonly columns = 1;
  readonly #painter: Painter;
  readonly #tokens: RowTokens;

  constructor(painter: Painter, tokens: RowTokens) {
    super({ decodeStrings: false });
    this.#painter = painter;
    this.#tokens = tokens;
    const paint = (frame: string) => {
      painter.paint(tokens.rowsOf(frame));
      tokens.keepOnly(frame);
      return true;
    };
    const nothing = () => undefined;
    this.log = Object.assign(paint, {
      clear: nothing,
      done: nothing,
      sync: nothing,
      setCursorPosition: nothing,
      isCursorDirty: () => painter.stale,
      // Ink would begin a synchronized update of its own.
      willRender: () => false,
    });
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    const text = chunk.toString();
    if (text !== '' && !MODES.has(text)) this.#painter.above(this.#tokens.rowsOf(text));
    done();
  }
}

/** What Ink writes beside text; the painter sees to that itself. */
const MODES = new Set(['\u001b[?2026h', '\u001b[?2026l', '\u001b[?25h', '\u001b[?25l']);
