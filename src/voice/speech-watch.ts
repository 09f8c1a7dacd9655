import { bytesIn, decibels, durationMs } from './pcm.ts';

const FRAME_MS = 30;
const FRAME_BYTES = bytesIn(FRAME_MS);
/** Speech has a gap within this time, and its level there is the background noise. */
const FLOOR_FRAMES = 100;
/** How much louder than the background speech is. */
const ABOVE_FLOOR_DB = 9;
/** However quiet or noisy the background: whispering counts, and a shout in a noisy room does. */
const LEAST_DB = -58;
const MOST_DB = -30;
/** A click is shorter: this many of the last frames must be loud. */
const RECENT_FRAMES = 10;
const LOUD_FRAMES = 4;

/** Hears whether somebody speaks. Time is that of the audio, however it is split into chunks. */
export class SpeechWatch {
  readonly #levels: number[] = [];
  readonly #loud: boolean[] = [];
  #partial = Buffer.alloc(0);
  #bytes = 0;
  #lastSpeechMs: number | null = null;
  #db = Number.NEGATIVE_INFINITY;

  push(pcm: Uint8Array): void {
    let rest = Buffer.concat([this.#partial, pcm]);
    while (rest.length >= FRAME_BYTES) {
      this.#frame(rest.subarray(0, FRAME_BYTES));
      rest = rest.subarray(FRAME_BYTES);
    }
    this.#partial = Buffer.from(rest);
  }

  get heard(): boolean {
    return this.#lastSpeechMs !== null;
  }

  /** Since the last speech, or since the start. */
  get quietMs(): number {
    return durationMs(this.#bytes) - (this.#lastSpeechMs ?? 0);
  }

  /** Of the last moment, in decibels. */
  get db(): number {
    return this.#db;
  }

  #frame(frame: Buffer): void {
    this.#bytes += frame.length;
    this.#db = decibels(frame);
    this.#levels.push(this.#db);
    if (this.#levels.length > FLOOR_FRAMES) this.#levels.shift();
    const floor = Math.min(...this.#levels);
    const threshold = Math.min(MOST_DB, Math.max(LEAST_DB, floor + ABOVE_FLOOR_DB));
    this.#loud.push(this.#db > threshold);
    if (this.#loud.length > RECENT_FRAMES) this.#loud.shift();
    const isSpeech = this.#db > threshold && this.#loud.filter(Boolean).length >= LOUD_FRAMES;
    if (isSpeech) this.#lastSpeechMs = durationMs(this.#bytes);
  }
}
