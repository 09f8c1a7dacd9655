import fc from 'fast-check';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** One thing that arrives from the keyboard, after a pause. */
export type Stroke = { afterMs: number; text: string };

/** In milliseconds a key: from very fast to one key in two seconds. */
const pace = fc.integer({ min: 30, max: 2_000 });
/** Before Enter. Enter right after a paste belongs to it. */
export const pause = fc.integer({ min: 200, max: 2_000 });
const words = fc
  .array(
    fc.constantFrom(
      ...['yes', 'no', 'y', 'n', 'say', 'a', 's', 'e', 'r', '1', '2', '22', '3.', 'please', 'maybe'],
      ...['also', 'okay', 'né', '日本', 'x'],
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((list) => `${list.join(' ')} z`);

const evenly = (sentence: string, ms: number): Stroke[] =>
  [...sentence].map((text) => ({ afterMs: ms, text }));

/** What a person writes while questions appear: none of it is an answer. */
export const sentences: fc.Arbitrary<{ sentence: string; keys: Stroke[] }> = fc.oneof(
  // A steady typist.
  fc
    .record({ sentence: words, ms: pace })
    .map(({ sentence, ms }) => ({ sentence, keys: evenly(sentence, ms) })),
  // With a pause of its own before each key.
  words.chain((sentence) =>
    fc.array(pace, { minLength: sentence.length, maxLength: sentence.length }).map((pauses) => ({
      sentence,
      keys: [...sentence].map((text, i) => ({ text, afterMs: pauses[i] ?? 30 })),
    })),
  ),
  // A slow connection, or an input method, delivers several characters at once.
  fc
    .record({ sentence: words, ms: pace, size: fc.integer({ min: 2, max: 7 }) })
    .map(({ sentence, ms, size }) => ({
      sentence,
      keys: (sentence.match(new RegExp(`.{1,${size}}`, 'gu')) ?? []).map((text) => ({ text, afterMs: ms })),
    })),
  // A paste.
  fc.record({ sentence: words, ms: pace }).map(({ sentence, ms }) => ({
    sentence,
    keys: [{ afterMs: ms, text: PASTE_START + sentence + PASTE_END }],
  })),
);

/** The text of a paste; null for keys. */
export function pastedText(text: string): string | null {
  return text.startsWith(PASTE_START) ? text.slice(PASTE_START.length, -PASTE_END.length) : null;
}
