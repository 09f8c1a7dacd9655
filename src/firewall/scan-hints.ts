/** A range of text to replace, and its name in placeholders. */
export type Cut = {
  start: number;
  end: number;
  name: string;
  /** Values that must also be hidden elsewhere, without the context they were recognized by. */
  alone: readonly string[];
};

/** Recognizes secrets by a text in or next to each of them. */
export type Finder = {
  /** At least three characters. */
  hints: readonly string[];
  /** Whether hints are in lower case and match any case. */
  ignoreCase?: boolean;
  /**
   * Searches around a hint at `at`. Nothing before `from` may be cut; it has been processed. An empty cut
   * marks a range without matches.
   */
  find(text: string, at: number, from: number): readonly Cut[];
};

type Entry = { hint: string; finder: Finder };

const TABLE = 1 << 15;

/**
 * Scans a text once, whatever the number of finders, and calls those whose hint it finds, long hints first.
 */
export function createScanner(finders: readonly Finder[]): (text: string) => Cut[] {
  const entries: Entry[][] = [[]];
  // Maps three characters to entries; 0 for most.
  const places = new Uint16Array(TABLE);
  for (const finder of finders) {
    for (const hint of finder.hints) {
      const place = [0, 1, 2].reduce((hash, i) => rolled(hash, hint.charCodeAt(i)), 0);
      if (places[place] === 0) places[place] = entries.push([]) - 1;
      entries[places[place] ?? 0]?.push({ hint, finder });
    }
  }
  for (const list of entries) list.sort((a, b) => b.hint.length - a.hint.length);

  function cutsAt(text: string, at: number, from: number, list: readonly Entry[]): readonly Cut[] {
    for (const { hint, finder } of list) {
      const stands = finder.ignoreCase
        ? text.slice(at, at + hint.length).toLowerCase() === hint
        : text.startsWith(hint, at);
      const found = stands ? finder.find(text, at, from) : [];
      if (found.length > 0) return found;
    }
    return [];
  }

  return (text) => {
    const cuts: Cut[] = [];
    let from = 0;
    // One byte per character, the lower half of a wide one: much faster to scan than the string.
    const bytes = Buffer.from(text, 'latin1');
    const { length } = bytes;
    let place = 0;
    for (let last = 0; last < length; last++) {
      place = ((place << 5) ^ ((bytes[last] as number) | 32)) & (TABLE - 1);
      const which = places[place] as number;
      if (which === 0 || last - 2 < from) continue;
      const found = cutsAt(text, last - 2, from, entries[which] ?? []);
      if (found.length === 0) continue;
      cuts.push(...found.filter(({ start, end }) => end > start));
      from = Math.max(...found.map((cut) => cut.end));
    }
    return cuts;
  };
}

/** A hash of the last three characters, ignoring case. */
function rolled(hash: number, code: number): number {
  return ((hash << 5) ^ (code | 32)) & (TABLE - 1);
}
