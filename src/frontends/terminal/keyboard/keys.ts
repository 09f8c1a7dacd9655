import type { Key } from '../view/types.ts';
import { KeyDecoder } from './key-decoder.ts';

/** Escape alone is distinguished from the start of a sequence by what follows within this time. */
const ESCAPE_MS = 40;

/**
 * A paste ends when nothing follows its end mark for this long: pasted text may contain the mark, with Enter
 * after it.
 */
const PASTE_MS = 100;

type Input = Pick<
  NodeJS.ReadStream,
  'on' | 'off' | 'setRawMode' | 'setEncoding' | 'readableEncoding' | 'resume' | 'pause' | 'isTTY'
>;

/** The keyboard while it is open: bytes in, keys out. */
export class KeyReader {
  readonly #stdin: Input;
  readonly #decoder = new KeyDecoder();
  readonly #onKey: (key: Key) => void;
  #timer: NodeJS.Timeout | undefined;
  #open = false;

  constructor(stdin: Input, onKey: (key: Key) => void) {
    this.#stdin = stdin;
    this.#onKey = onKey;
  }

  /**
   * Starts reading. Returns the keys in `typed`, which was typed before; its last sequence may be incomplete.
   */
  open(typed = ''): Key[] {
    if (this.#open) return [];
    this.#open = true;
    if (this.#stdin.isTTY) this.#stdin.setRawMode(true);
    // Setting it again would lose the first half of a character.
    if (this.#stdin.readableEncoding !== 'utf8') this.#stdin.setEncoding('utf8');
    this.#stdin.on('data', this.#read);
    this.#stdin.resume();
    const keys = this.#decoder.push(typed);
    this.#awaitRest();
    return keys;
  }

  /** Releases the terminal, to another program or for good. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    clearTimeout(this.#timer);
    this.#stdin.off('data', this.#read);
    this.#stdin.pause();
    if (this.#stdin.isTTY) this.#stdin.setRawMode(false);
  }

  readonly #read = (chunk: string | Buffer): void => {
    clearTimeout(this.#timer);
    const text = String(chunk);
    if (!this.#decoder.isInPaste && isBurst(text)) this.#take([{ type: 'paste', text }]);
    else this.#take(this.#decoder.push(text));
    this.#awaitRest();
  };

  #awaitRest(): void {
    if (!this.#decoder.undecided) return;
    const wait = this.#decoder.endsPaste ? PASTE_MS : ESCAPE_MS;
    this.#timer = setTimeout(() => this.#take(this.#decoder.flush()), wait);
  }

  #take(keys: readonly Key[]): void {
    for (const key of keys) this.#onKey(key);
  }
}

/**
 * Several lines at once were pasted, in a terminal without bracketed paste: no user types that fast. A
 * backslash before the end of a line only continues it.
 */
function isBurst(text: string): boolean {
  return /[^\r\n\\][\r\n]+[^\r\n]/.test(text) && !text.includes('\x1b');
}
