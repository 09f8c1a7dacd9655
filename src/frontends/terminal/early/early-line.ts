import { NARROW } from '../text/narrow.ts';

/** What the first keys mean, as far as that is plain. The prompt itself reads the same keys again when it is there. */
export type EarlyLine = {
  text: string;
  /** Where the caret stands. */
  at: number;
  /** Typed and sent with Enter. */
  sent: string | null;
  /** The last key was Ctrl-C with nothing typed: the next one leaves. */
  warned: boolean;
  /** `unclear` from the first key on that only the prompt understands. */
  state: 'open' | 'unclear' | 'left';
};

/** More than anybody types so early. */
const MOST = 1_000;

const PASTE = '\u001b[200~';
const LEFT = ['\u001b[D', '\u001bOD'];
const RIGHT = ['\u001b[C', '\u001bOC'];
const SEQUENCES = [PASTE, ...LEFT, ...RIGHT];

/** Ctrl-C thrice leaves whatever was typed before: once clears, once warns. */
const THRICE = '\u0003\u0003\u0003';

/** Reads all that was typed so far. `width` is the room for text in one row. */
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

/** Whether the end of a sequence is still to come. */
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
  // Where a paste ends is a matter of time, which only the prompt knows.
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
      // Alone it asks for the list of keys, which cannot be shown yet.
      return text === '' ? unclear : inserted(told, key);
    default:
      return NARROW.test(key) ? inserted(told, key) : unclear;
  }
}

function inserted(line: EarlyLine, words: string): EarlyLine {
  const { text, at } = line;
  return { ...line, text: text.slice(0, at) + words + text.slice(at), at: at + words.length };
}

/** Whether Enter sends it as it stands: no completion in between, no line that goes on, nothing sent before it. */
function isPlainPrompt({ text, at, sent }: EarlyLine): boolean {
  return sent === null && !text.startsWith('/') && !text.includes('@') && text[at - 1] !== '\\';
}
