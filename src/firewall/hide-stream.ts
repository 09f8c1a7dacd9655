/** Context that is kept of a long stream. */
const KEPT = 16 * 1024;
const LONGEST = 64 * 1024;

export type StreamHider = {
  /** What may be shown now: whole lines, with placeholders. */
  push(text: string): string;
  /** What is left. */
  end(): string;
};

/**
 * Hides secrets in a text that comes in pieces, also those that lie across two of them: a line is shown when it is
 * whole, and judged by all that came before it.
 */
export function createStreamHider(hide: (text: string) => string): StreamHider {
  let seen = '';
  let waiting = '';
  let shown = '';

  function show(lines: string): string {
    seen += lines;
    const hidden = hide(seen);
    // Where a later line changes what an earlier one is taken for, nothing is shown until the next.
    const rest = hidden.startsWith(shown) ? hidden.slice(shown.length) : '';
    shown = hidden;
    if (seen.length > LONGEST) {
      const cut = seen.indexOf('\n', seen.length - KEPT) + 1;
      seen = seen.slice(cut);
      shown = hide(seen);
    }
    return rest;
  }

  return {
    push(text) {
      waiting += text;
      const end = waiting.lastIndexOf('\n') + 1;
      if (end === 0) return '';
      const lines = waiting.slice(0, end);
      waiting = waiting.slice(end);
      return show(lines);
    },
    end() {
      const rest = waiting;
      waiting = '';
      return rest === '' ? '' : show(rest);
    },
  };
}
