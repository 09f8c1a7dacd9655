import { StuckError } from '../../contract/errors.ts';
import type { ProviderEvent } from '../../contract/provider.ts';

/** How often a block of text repeats before it counts as endless, and how long all of it is. */
const MOST_REPEATS = 10;
const LEAST_LENGTH = 450;
/** Rules, tables and data repeat a few characters, or lines, for good reasons. */
const SHORT_BLOCK = 10;
const LEAST_SHORT_LENGTH = 4_000;
const LEAST_IN_CODE = 6_000;
/** The longest block that is noticed, and how much text is kept for it. */
const LONGEST_BLOCK = 1_000;
const KEPT = MOST_REPEATS * LONGEST_BLOCK + 50;
/** How much text arrives between two looks at it. */
const STEP = 100;
const SAMPLE = 40;

/**
 * Throws when a reply repeats the same text endlessly, in its thoughts or in its answer: the rest would be more of it. Small
 * models do that, and would fill the whole output limit.
 */
export class RepetitionGuard {
  #tail = '';
  #type: ProviderEvent['type'] | undefined;
  #unseen = 0;
  #inCode = false;

  push(event: ProviderEvent): void {
    if (event.type !== 'text' && event.type !== 'thinking') return;
    if (event.type !== this.#type) this.#tail = '';
    this.#type = event.type;
    for (let at = 0; at < event.text.length; at += STEP) {
      const piece = event.text.slice(at, at + STEP);
      this.#tail = (this.#tail + piece).slice(-KEPT);
      this.#unseen += piece.length;
      const fences = piece.match(/`{3,}/g)?.length ?? 0;
      if (fences % 2 === 1) this.#inCode = !this.#inCode;
      if (this.#unseen < STEP) continue;
      this.#unseen = 0;
      const block = repeatedBlock(this.#tail, this.#inCode);
      if (block !== undefined) throw endless(block);
    }
  }
}

function endless(block: string): StuckError {
  const shown = block.trim().replaceAll(/\s+/g, ' ');
  return new StuckError(
    `The model repeated the same text without end, so its answer was cut: “${shown.slice(0, 80)}”`,
    'Ask again in other words, or choose a stronger model. With a local model, a higher temperature or repeat penalty also helps.',
  );
}

/** The block that the end of a text repeats too often; undefined if there is none. */
function repeatedBlock(text: string, inCode: boolean): string | undefined {
  const sample = text.slice(-SAMPLE);
  if (sample.length < SAMPLE) return undefined;
  const before = text.lastIndexOf(sample, text.length - SAMPLE - 1);
  const period = text.length - SAMPLE - before;
  if (before < 0 || period > LONGEST_BLOCK) return undefined;
  let length = SAMPLE + period;
  while (length < text.length && text.at(-1 - length) === text.at(-1 - length + period)) length++;
  const isShort = period < SHORT_BLOCK || !/\p{L}{2}/u.test(text.slice(-period));
  const least = inCode ? LEAST_IN_CODE : isShort ? LEAST_SHORT_LENGTH : LEAST_LENGTH;
  return length >= least && length >= MOST_REPEATS * period ? text.slice(-period) : undefined;
}
