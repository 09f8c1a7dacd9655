/** The literal at `start`, by its index in the list. */
export type Hit = { start: number; literal: number };

const BLOCK = 3;
const TABLE = 1 << 16;

/**
 * Searches for many literals at once, each at least `shortest` characters long. From left to right, longest
 * match first, without overlaps. Skips most of the text: the last characters of the window determine the
 * minimum distance to the end of any literal's prefix (Wu-Manber).
 */
export function createFinder(literals: readonly string[], shortest: number): (text: string) => Hit[] {
  const farthest = shortest - BLOCK + 1;
  const jumps = new Uint8Array(TABLE).fill(farthest);
  const endings = new Map<number, number[]>();
  const longestFirst = literals.map((_, place) => place).sort((a, b) => lengthOf(b) - lengthOf(a));
  for (const place of longestFirst) {
    const text = literals[place] ?? '';
    for (let end = BLOCK - 1; end < shortest; end++) {
      const block = blockAt(text, end);
      jumps[block] = Math.min(jumps[block] ?? farthest, shortest - 1 - end);
    }
    const last = blockAt(text, shortest - 1);
    const others = endings.get(last);
    if (others) others.push(place);
    else endings.set(last, [place]);
  }

  function lengthOf(place: number): number {
    return literals[place]?.length ?? 0;
  }

  return (text) => {
    const hits: Hit[] = [];
    if (literals.length === 0) return hits;
    let end = shortest - 1;
    while (end < text.length) {
      const block = blockAt(text, end);
      const jump = jumps[block] ?? farthest;
      if (jump > 0) {
        end += jump;
        continue;
      }
      const start = end - shortest + 1;
      const literal = endings.get(block)?.find((place) => text.startsWith(literals[place] ?? '', start));
      if (literal === undefined) end += 1;
      else {
        hits.push({ start, literal });
        end += lengthOf(literal);
      }
    }
    return hits;
  };
}

function blockAt(text: string, end: number): number {
  const code = (text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end);
  return code & (TABLE - 1);
}
