import { stripVTControlCharacters } from 'node:util';

const INTERVAL_MS = 50;
const MAX_PENDING = 8_000;
const ESCAPE = '\u001B';
const BELL = '\u0007';
/** If longer than this, the text after an escape is not a sequence. */
const MAX_ESCAPE = 64;

/** Call `push` with each chunk; `end` reports the rest. */
export type LiveOutput = { push(text: string): void; end(): void };

/**
 * Live output for display: a few times a second, only the latest part of a flood, and no control sequences.
 */
export function createLiveOutput(notify: (text: string) => void): LiveOutput {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const end = wholeLength(pending);
    const text = stripVTControlCharacters(pending.slice(0, end));
    pending = pending.slice(end);
    if (text !== '') notify(text);
  }

  return {
    push(text) {
      pending += text;
      if (pending.length > 2 * MAX_PENDING) pending = `…${latest(pending)}`;
      timer ??= setTimeout(flush, INTERVAL_MS);
    },
    end() {
      clearTimeout(timer);
      flush();
    },
  };
}

/**
 * The length without an incomplete escape sequence at the end: split in two, neither half would be
 * recognised.
 */
function wholeLength(text: string): number {
  const at = text.lastIndexOf(ESCAPE);
  if (at === -1 || text.length - at > MAX_ESCAPE) return text.length;
  const rest = text.slice(at + 1);
  const open = /^(\[[\d;?]*|\].*)?$/.test(rest) && !rest.includes(BELL);
  return open ? at : text.length;
}

/** From the start of a line if possible, so that no character is split. */
function latest(text: string): string {
  const tail = text.slice(-MAX_PENDING);
  return tail.slice(Math.max(0, tail.indexOf('\n')));
}
