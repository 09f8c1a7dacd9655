/** A part `[start, end)` of a flat text. */
export type Range = { start: number; end: number };

/** A text with every line end made `\n`, and the way back to the original. */
export type FlatText = {
  plain: string;
  original: string;
  /** Where in `plain` a `\n` stands for the two characters `\r\n`; ascending. */
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
  // The last part ends with the text.
  doubled.pop();
  return { plain: parts.join('\n').replaceAll('\r', '\n'), original, doubled };
}

export function flatEnds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
}

/** Every place where a text stands, whatever its line ends and those of the file: in order, and they may overlap. */
export function findText({ plain }: FlatText, wanted: string): Range[] {
  const needle = flatEnds(wanted);
  const borders = bordersOf(needle);
  return borders.at(-1) === 0 ? findApart(plain, needle) : findOverlapping(plain, needle, borders);
}

/** A choice of places that do not overlap, taken from the first place on, or from the last one back. */
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

/** Knuth-Morris-Pratt: looking again from each place on would take hours in a long run of one character. */
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

/** For each beginning of a text, the length of the longest shorter text that it both begins and ends with. */
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

/** The part of the original that a range of the flat text stands for. */
export function originalOf(flat: FlatText, { start, end }: Range): string {
  return flat.original.slice(originalAt(flat, start), originalAt(flat, end));
}

/** Where a line begins in the flat text, counted as `lineAt` does; null when there are fewer lines. */
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
 * The original with each range replaced; they must come in order and not overlap. What the new text begins and ends with in common with the old stays as it
 * is; new lines take the ends of the lines they replace, or of the line they come to stand on.
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

/** Where a place of the flat text is in the original; a line end is never cut in two. */
function originalAt({ doubled }: FlatText, at: number): number {
  return at + countBelow(doubled, at);
}

/** The number of the line at a place of the flat text, from one. Lone `\r` count as line ends where nothing else does. */
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

/** Gives texts the line ends of the places they go to, which must come in order. `before` is the character ahead. */
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
    // The search goes on from where it was: many places on one huge line must not search it again and again.
    if (next < range.end && range.end <= last) next = plain.indexOf('\n', range.end);
    return endAt(range.end <= last ? next : last);
  };
  return {
    into(text, range, before) {
      const after = original[originalAt(flat, range.end)] ?? '';
      // A lone CR and an LF that come to stand side by side would be one line end, not two.
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
