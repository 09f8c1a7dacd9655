/** How much of a long stream is kept as context. */
const KEPT = 16 * 1024;
const LONGEST = 64 * 1024;

export type StreamHider = {
  /** What may be shown now: complete lines, with placeholders. */
  push(text: string): string;
  /** The rest. */
  end(): string;
};

/**
 * Hides secrets in a text that arrives in chunks, also across chunk boundaries: a line is shown when
 * complete, and judged with everything before it.
 */
export function createStreamHider(hide: (text: string) => string): StreamHider {
  let seen = '';
  let waiting = '';
  let shown = '';

  function show(lines: string): string {
    seen += lines;
    const hidden = hide(seen);
    // If a later line changes how an earlier one is classified, nothing is shown until the next.
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
