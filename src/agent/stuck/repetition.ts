import { StuckError } from '../../contract/errors.ts';
import type { ProviderEvent } from '../../contract/provider.ts';

/** How often a block of about a sentence repeats before it counts as endless. */
const MOST_REPEATS = 10;
const SENTENCE = 40;
/** How long repeated text is before it counts: words, rules, tables and data repeat for good reasons. */
const LEAST_OF_WORDS = 6_000;
const LEAST_OF_CHARACTERS = 24_000;
const FEW_CHARACTERS = 10;
/** The longest block that is noticed, and how much text is kept. */
const LONGEST_BLOCK = 1_000;
const KEPT = LEAST_OF_CHARACTERS + LONGEST_BLOCK;
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
  const near = text.slice(-SAMPLE - LONGEST_BLOCK, -1);
  const before = near.lastIndexOf(sample);
  if (sample.length < SAMPLE || before < 0) return undefined;
  const period = near.length + 1 - SAMPLE - before;
  let length = SAMPLE + period;
  while (length < text.length && text.at(-1 - length) === text.at(-1 - length + period)) length++;
  const block = text.slice(-period);
  return length >= leastLength(block, inCode) ? block : undefined;
}

function leastLength(block: string, inCode: boolean): number {
  if (block.length < FEW_CHARACTERS || !/\p{L}{2}/u.test(block)) return LEAST_OF_CHARACTERS;
  const least = MOST_REPEATS * block.length;
  return inCode || block.length < SENTENCE ? Math.max(least, LEAST_OF_WORDS) : least;
}
