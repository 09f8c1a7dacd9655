import { stripVTControlCharacters } from 'node:util';

const INTERVAL_MS = 50;
const MAX_PENDING = 8_000;
const ESCAPE = '\u001B';
const BELL = '\u0007';
/** Longer than this, what follows an escape is no sequence. */
const MAX_ESCAPE = 64;

/** `push` as often as output comes; `end` tells what is left. */
export type LiveOutput = { push(text: string): void; end(): void };

/** Output for watching: a few times a second, of a flood only its latest part, and nothing that moves a cursor. */
export function createLiveOutput(tell: (text: string) => void): LiveOutput {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const end = wholeLength(pending);
    const text = stripVTControlCharacters(pending.slice(0, end));
    pending = pending.slice(end);
    if (text !== '') tell(text);
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

/** Without the beginning of an escape sequence at its end: torn in two, neither half would be known for one. */
function wholeLength(text: string): number {
  const at = text.lastIndexOf(ESCAPE);
  if (at === -1 || text.length - at > MAX_ESCAPE) return text.length;
  const rest = text.slice(at + 1);
  const open = /^(\[[\d;?]*|\].*)?$/.test(rest) && !rest.includes(BELL);
  return open ? at : text.length;
}

/** From a line's beginning where there is one, so that no character is cut in half. */
function latest(text: string): string {
  const tail = text.slice(-MAX_PENDING);
  return tail.slice(Math.max(0, tail.indexOf('\n')));
}
