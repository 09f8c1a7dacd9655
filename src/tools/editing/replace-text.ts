/** A part `[start, end)` of a flat text. */
export type Range = { start: number; end: number };

/** A text with all line endings as `\n`, and the mapping back to the original. */
export type FlatText = {
  plain: string;
  original: string;
  /** Positions in `plain` where a `\n` represents the two characters `\r\n`; ascending. */
  doubled: readonly number[];
};

export function flatten(original: string): FlatText {
  if (!original.includes('\r')) return { plain: original, original, doubled: [] };
  const parts = original.split('\r\n');
  const doubled: number[] = [];
  let at = -1;
  for (const part of parts) {
    at += part.length + 1;
    doubled.push(at);
  }
  // The last part ends with the text, not with a line ending.
  doubled.pop();
  return { plain: parts.join('\n').replaceAll('\r', '\n'), original, doubled };
}

export function flatEnds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

/** All occurrences of a text, ignoring line endings: in order, possibly overlapping. */
export function findText({ plain }: FlatText, wanted: string): Range[] {
  const needle = flatEnds(wanted);
  const borders = bordersOf(needle);
  return borders.at(-1) === 0 ? findApart(plain, needle) : findOverlapping(plain, needle, borders);
}

/** A choice of non-overlapping matches, greedy from the first one on, or from the last one back. */
export function withoutOverlaps(ranges: readonly Range[], from: 'first' | 'last'): Range[] {
  const chosen: Range[] = [];
  for (const range of from === 'first' ? ranges : ranges.toReversed()) {
    const last = chosen.at(-1);
    if (!last || range.start >= last.end || range.end <= last.start) chosen.push(range);
  }
  return from === 'first' ? chosen : chosen.reverse();
}

function findApart(plain: string, needle: string): Range[] {
  const found: Range[] = [];
  for (let at = plain.indexOf(needle); at !== -1; at = plain.indexOf(needle, at + needle.length)) {
    found.push({ start: at, end: at + needle.length });
  }
  return found;
}

/** Knuth-Morris-Pratt: a naive search would take hours in a long run of one character. */
function findOverlapping(plain: string, needle: string, borders: Uint32Array): Range[] {
  const found: Range[] = [];
  const first = plain.indexOf(needle);
  let matched = 0;
  for (let at = first; at !== -1 && at < plain.length; at++) {
    while (matched > 0 && plain[at] !== needle[matched]) matched = borders[matched - 1] ?? 0;
    if (plain[at] === needle[matched]) matched++;
    if (matched < needle.length) continue;
    found.push({ start: at + 1 - matched, end: at + 1 });
    matched = borders[matched - 1] ?? 0;
  }
  return found;
}

/** For each prefix of a text, the length of its longest proper border (KMP failure function). */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let i = 1; i < text.length; i++) {
    while (length > 0 && text[i] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[i] === text[length]) length++;
    borders[i] = length;
  }
  return borders;
}

/** The part of the original that corresponds to a range of the flat text. */
export function originalOf(flat: FlatText, { start, end }: Range): string {
  return flat.original.slice(originalAt(flat, start), originalAt(flat, end));
}

/** The start of a line in the flat text, counted as by `lineAt`; null if there are fewer lines. */
export function startOfLine({ original, doubled }: FlatText, line: number): number | null {
  const end = original.includes('\n') ? '\n' : '\r';
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = original.indexOf(end, start);
    if (next === -1) return null;
    start = next + 1;
  }
  if (doubled.length === 0) return start;
  return start - original.slice(0, start).split('\r\n').length + 1;
}

/**
 * The original with each range replaced; ranges must be in order and not overlap. The common prefix and
 * suffix of old and new text stay unchanged; new lines get the line endings of the lines they replace, or of
 * the line they are on.
 */
export function replaceRanges(flat: FlatText, ranges: readonly Range[], text: string): string {
  const { plain, original } = flat;
  const replacement = flatEnds(text);
  const lineEnds = lineEndsOf(flat);
  const pieces: string[] = [];
  let kept = 0;
  for (const range of ranges) {
    const changed = changedPart(plain.slice(range.start, range.end), replacement);
    const start = range.start + changed.head;
    const end = range.end - changed.tail;
    const inserted = replacement.slice(changed.head, replacement.length - changed.tail);
    pieces.push(original.slice(kept, originalAt(flat, start)));
    const before = pieces.findLast((piece) => piece !== '')?.at(-1) ?? '';
    pieces.push(lineEnds.into(inserted, { start, end }, before));
    kept = originalAt(flat, end);
  }
  return [...pieces, original.slice(kept)].join('');
}

/** The position in the original for a position in the flat text; never splits a line ending. */
function originalAt({ doubled }: FlatText, at: number): number {
  return at + countBelow(doubled, at);
}

/**
 * The line number at a position of the flat text, from one. A lone `\r` counts as a line ending if there are
 * no others.
 */
export function lineAt(flat: FlatText, at: number): number {
  const offset = originalAt(flat, at);
  const end = flat.original.includes('\n') ? '\n' : '\r';
  let line = 1;
  for (let i = flat.original.indexOf(end); i !== -1 && i < offset; i = flat.original.indexOf(end, i + 1)) {
    line++;
  }
  return line;
}

function changedPart(before: string, after: string): { head: number; tail: number } {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { head, tail };
}

/**
 * Gives texts the line endings of their target ranges, which must be in order. `before` is the preceding
 * character.
 */
function lineEndsOf(flat: FlatText): { into(text: string, range: Range, before: string): string } {
  const { plain, original } = flat;
  if (!original.includes('\r')) return { into: (text) => text };

  const endAt = (at: number): string => {
    const place = originalAt(flat, at);
    return original[place] === '\r' ? (original[place + 1] === '\n' ? '\r\n' : '\r') : '\n';
  };
  const last = plain.lastIndexOf('\n');
  let next = -1;
  const neighbour = (range: Range): string => {
    // Continue from the previous position: many matches on one huge line must not search it repeatedly.
    if (next < range.end && range.end <= last) next = plain.indexOf('\n', range.end);
    return endAt(range.end <= last ? next : last);
  };
  return {
    into(text, range, before) {
      const after = original[originalAt(flat, range.end)] ?? '';
      // A lone CR next to an LF would become one line ending instead of two.
      if (!text.includes('\n')) return before + text === '\r' && after === '\n' ? '\n' : text;
      const replaced = plain.slice(range.start, range.end);
      const ends = [...replaced.matchAll(/\n/g)].map(({ index }) => endAt(range.start + index));
      const other = ends.at(-1) ?? neighbour(range);
      const [first = '', ...lines] = text.split('\n');
      let put = before + first;
      for (const [i, line] of lines.entries()) {
        const end = ends[i] ?? other;
        put += (end === '\n' && put.endsWith('\r') ? '\r' : end) + line;
      }
      return put.slice(before.length) + (put.endsWith('\r') && after === '\n' ? '\n' : '');
    },
  };
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
