import { NARROW } from '../text/narrow.ts';

/**
 * The effect of the first keys, as far as it is unambiguous. The main prompt processes the same keys again
 * once it is ready.
 */
export type EarlyLine = {
  text: string;
  /** The caret position. */
  at: number;
  /** Typed and sent with Enter. */
  sent: string | null;
  /** The last key was Ctrl-C on an empty line: the next one quits. */
  warned: boolean;
  /** `unclear` from the first key on that only the main prompt supports. */
  state: 'open' | 'unclear' | 'left';
};

/** More than a user types this early. */
const MOST = 1_000;

const PASTE = '\u001b[200~';
const LEFT = ['\u001b[D', '\u001bOD'];
const RIGHT = ['\u001b[C', '\u001bOC'];
const SEQUENCES = [PASTE, ...LEFT, ...RIGHT];

/** Three times Ctrl-C always quits: the first clears, the second warns. */
const THRICE = '\u0003\u0003\u0003';

/** Processes all input so far. `width` is the width for text in one row. */
export function readEarly(typed: string, width: number): EarlyLine {
  let line: EarlyLine = { text: '', at: 0, sent: null, warned: false, state: 'open' };
  let rest = typed;
  while (rest !== '' && line.state === 'open' && !isUnfinished(rest)) {
    const { next, length } = step(line, rest);
    const fits = next.text.length <= width && typed.length <= MOST;
    line = fits ? next : { ...line, state: 'unclear' };
    rest = rest.slice(length);
  }
  return line.state === 'unclear' && typed.endsWith(THRICE) ? { ...line, state: 'left' } : line;
}

/** Whether the end of a sequence is still missing. */
function isUnfinished(rest: string): boolean {
  return SEQUENCES.some((sequence) => sequence !== rest && sequence.startsWith(rest));
}

type Step = { next: EarlyLine; length: number };

function step(line: EarlyLine, rest: string): Step {
  const { text, at } = line;
  const told = { ...line, warned: false };
  if (LEFT.includes(rest.slice(0, 3))) return { next: { ...told, at: Math.max(0, at - 1) }, length: 3 };
  if (RIGHT.includes(rest.slice(0, 3)))
    return { next: { ...told, at: Math.min(text.length, at + 1) }, length: 3 };
  // Where a paste ends depends on timing, which only the main prompt tracks.
  if (rest.startsWith(PASTE)) return { next: { ...line, state: 'unclear' }, length: PASTE.length };
  return { next: pressed(line, rest.slice(0, 1)), length: 1 };
}

function pressed(line: EarlyLine, key: string): EarlyLine {
  const { text, at } = line;
  const told = { ...line, warned: false };
  const unclear: EarlyLine = { ...line, state: 'unclear' };
  const left: EarlyLine = { ...line, state: 'left' };
  switch (key) {
    case '\u007f':
    case '\b':
      return at === 0 ? told : { ...told, text: text.slice(0, at - 1) + text.slice(at), at: at - 1 };
    case '\r':
      if (text.trim() === '') return told;
      return isPlainPrompt(line) ? { ...told, text: '', at: 0, sent: text } : unclear;
    case '\u0003':
      if (text !== '') return { ...told, text: '', at: 0 };
      return line.warned ? left : { ...line, warned: true };
    case '\u0004':
      return text === '' ? left : { ...told, text: text.slice(0, at) + text.slice(at + 1) };
    case '?':
      // Alone it opens the list of keys, which cannot be shown yet.
      return text === '' ? unclear : inserted(told, key);
    default:
      return NARROW.test(key) ? inserted(told, key) : unclear;
  }
}

function inserted(line: EarlyLine, words: string): EarlyLine {
  const { text, at } = line;
  return { ...line, text: text.slice(0, at) + words + text.slice(at), at: at + words.length };
}

/** Whether Enter sends it unchanged: no completion, no line continuation, nothing sent before. */
function isPlainPrompt({ text, at, sent }: EarlyLine): boolean {
  return sent === null && !text.startsWith('/') && !text.includes('@') && text[at - 1] !== '\\';
}
