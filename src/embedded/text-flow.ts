import type { Token } from './llama-types.ts';

export type TextFlow = {
  /** `stop` once the text reaches a stop sequence; it and what follows are not emitted. */
  push(token: Token): 'on' | 'stop';
  end(): void;
  /** All text so far, emitted and held back. */
  text(): string;
};

/** Maximum tokens of one character. */
const MOST_OF_A_LETTER = 8;
const BEFORE = 16;

/**
 * Converts tokens to text, character by character: an incomplete character is held back, and so is a possible
 * stop sequence.
 */
export function createTextFlow({
  spell,
  stop,
  emit,
}: {
  spell(tokens: readonly Token[], before: readonly Token[]): string;
  stop: readonly string[];
  emit(text: string): void;
}): TextFlow {
  let pending: Token[] = [];
  let before: Token[] = [];
  let held = '';
  let whole = '';
  let stopped = false;

  function say(text: string): void {
    whole += text;
    held += text;
    const at = Math.min(...stop.map((sequence) => held.indexOf(sequence)).filter((place) => place >= 0));
    if (Number.isFinite(at)) {
      held = held.slice(0, at);
      stopped = true;
    }
    const safe = stopped
      ? held.length
      : held.length - Math.max(0, ...stop.map((word) => overlap(held, word)));
    if (safe > 0) emit(held.slice(0, safe));
    held = held.slice(safe);
  }

  function settle(): void {
    const text = spell(pending, before);
    before = [...before, ...pending].slice(-BEFORE);
    pending = [];
    if (text !== '') say(text);
  }

  return {
    push(token) {
      pending.push(token);
      const isHalf = spell(pending, before).endsWith('\uFFFD');
      if (!isHalf || pending.length >= MOST_OF_A_LETTER) settle();
      return stopped ? 'stop' : 'on';
    },
    end() {
      if (pending.length > 0 && !stopped) settle();
      if (held !== '' && !stopped) emit(held);
      held = '';
    },
    text: () => whole,
  };
}

/** The length of the longest suffix of `text` that is a prefix of `word`. */
function overlap(text: string, word: string): number {
  let length = Math.min(text.length, word.length - 1);
  while (length > 0 && !text.endsWith(word.slice(0, length))) length--;
  return length;
}
