/** A stretch of text to be replaced, and what a reader may call it. */
export type Cut = {
  start: number;
  end: number;
  name: string;
  /** What also must not be seen where it stands alone, without what it was recognised by. */
  alone: readonly string[];
};

/** Knows secrets by something that stands in or beside every one of them. */
export type Finder = {
  /** Three characters at least. */
  hints: readonly string[];
  /** Whether hints are written in lower case and stand for any case. */
  ignoreCase?: boolean;
  /**
   * Looks around a hint at `at`. Nothing before `from` may be cut; that has been done. An empty cut says how far there is
   * nothing to look for.
   */
  find(text: string, at: number, from: number): readonly Cut[];
};

type Entry = { hint: string; finder: Finder };

const TABLE = 1 << 15;

/** Goes over a text once, whatever the number of finders, and asks those whose hint it comes to, long hints first. */
export function createScanner(finders: readonly Finder[]): (text: string) => Cut[] {
  const entries: Entry[][] = [[]];
  // Which entries belong to three characters; 0 for most.
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
    // A byte for each character, the lower half of a wide one: much faster to go through than the text.
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

/** Knows three characters and no more. Letters that differ only in case are the same to it. */
function rolled(hash: number, code: number): number {
  return ((hash << 5) ^ (code | 32)) & (TABLE - 1);
}
