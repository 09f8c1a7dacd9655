/** A key that is let go sooner was tapped: the next press ends the recording. */
const TAP_MS = 400;
/** A key that is held down repeats faster than this; two presses by a finger are slower. */
const REPEAT_MS = 150;
/** A key that repeated and does not for this long was let go. */
const LET_GO_MS = 400;
/** The last word is often still being spoken when the key is let go. */
const TAIL_MS = 250;

/**
 * Tells whether the key that started a recording is held down or was tapped. Terminals that report when a key is let
 * go say so; in others, a key that is held repeats. All times are in milliseconds; what is returned is when the
 * recording ends unless another press comes first, or null.
 */
export class HeldKey {
  readonly #startedAt: number;
  #state: 'unknown' | 'held' | 'tapped';
  #lastPress: number | null = null;

  /** `isTapped`: no key is down, as after a command. */
  constructor(startedAt: number, { isTapped }: { isTapped: boolean }) {
    this.#startedAt = startedAt;
    this.#state = isTapped ? 'tapped' : 'unknown';
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  press(now: number, { repeated = false }: { repeated?: boolean } = {}): number | null {
    if (repeated) {
      this.#state = 'held';
      return null;
    }
    if (this.#state === 'tapped') return now;
    if (this.#lastPress !== null && now - this.#lastPress <= REPEAT_MS) this.#state = 'held';
    this.#lastPress = now;
    return now + (this.isHeld ? LET_GO_MS : REPEAT_MS);
  }

  release(now: number): number | null {
    if (this.isHeld || now - this.#startedAt >= TAP_MS) return now + TAIL_MS;
    this.#state = 'tapped';
    return null;
  }
}
