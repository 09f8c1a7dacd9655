import { createContext, useContext } from 'react';

/** Characters nobody has given a meaning to, one for each row that is on the screen. */
const FIRST = 0xf0000;
const COUNT = 0xfffd;

/**
 * Rows are made and measured before they are drawn, so Ink need not read them again, character by character: it is
 * given one character for each, lays those out, and the painter puts the rows in their place.
 */
export class RowTokens {
  readonly #tokens = new Map<string, string>();
  readonly #rows = new Map<string, string>();
  #next = 0;

  tokenFor(row: string): string {
    const known = this.#tokens.get(row);
    if (known !== undefined) return known;
    let token: string;
    do {
      token = String.fromCodePoint(FIRST + (this.#next++ % COUNT));
    } while (this.#rows.has(token));
    this.#tokens.set(row, token);
    this.#rows.set(token, row);
    return token;
  }

  /** The rows that stand for the lines of a frame; a line that is no token stays as it is. */
  rowsOf(frame: string): string {
    return frame
      .split('\n')
      .map((line) => this.#rows.get(line) ?? line)
      .join('\n');
  }

  /** All rows that are drawn are in the frame: the others are let go of. */
  keepOnly(frame: string): void {
    const used = new Set(frame.split('\n'));
    for (const [token, row] of this.#rows) {
      if (used.has(token)) continue;
      this.#rows.delete(token);
      this.#tokens.delete(row);
    }
  }
}

/** Absent in tests of single components: rows are drawn as they are then. */
export const RowTokensContext = createContext<RowTokens | null>(null);

/** What Ink is given for rows. */
export function useRows(): (rows: readonly string[]) => string {
  const tokens = useContext(RowTokensContext);
  return (rows) => {
    const drawn = tokens ? rows.map((row) => tokens.tokenFor(row)) : rows;
    // A text without any character takes no row.
    return drawn.join('\n') || ' ';
  };
}
