/** A range in a line from `start` to `end`, in UTF-16 units. */
export type Range = { start: number; end: number };

export type Emphasis = { removed: Range[]; added: Range[] };

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
/** Longer lines are compared at their ends only. */
const MOST_WORDS = 120;
/** Lines that share less are unrelated rather than changed. */
const LEAST_SHARED = 0.4;

/** Word differences between two lines; null when they have too little in common. */
export function differences(removed: string, added: string): Emphasis | null {
  const before = removed.match(WORD) ?? [];
  const after = added.match(WORD) ?? [];
  const kept =
    before.length > MOST_WORDS || after.length > MOST_WORDS ? ends(before, after) : common(before, after);
  const sharedText = kept.before.reduce((sum, same, i) => sum + (same ? weight(before[i]) : 0), 0);
  const longest = Math.max(weight(removed), weight(added));
  if (longest === 0 || sharedText / longest < LEAST_SHARED) return null;
  return { removed: rangesOf(before, kept.before), added: rangesOf(after, kept.after) };
}

type Kept = { before: boolean[]; after: boolean[] };

function ends(before: readonly string[], after: readonly string[]): Kept {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const marks = (length: number) => Array.from({ length }, (_, i) => i < head || i >= length - tail);
  return { before: marks(before.length), after: marks(after.length) };
}

/** The longest common subsequence of words. */
function common(before: readonly string[], after: readonly string[]): Kept {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const kept: Kept = { before: before.map(() => false), after: after.map(() => false) };
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      kept.before[i++] = true;
      kept.after[j++] = true;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

/** Adjacent differences are merged, also across a space. */
function rangesOf(words: readonly string[], kept: readonly boolean[]): Range[] {
  const ranges: Range[] = [];
  let offset = 0;
  for (const [i, word] of words.entries()) {
    const end = offset + word.length;
    const last = ranges.at(-1);
    const between = kept[i] === true && word.trim() === '' && kept[i - 1] === false && kept[i + 1] === false;
    if (kept[i] === false || between) {
      if (last && last.end === offset) last.end = end;
      else ranges.push({ start: offset, end });
    }
    offset = end;
  }
  return ranges;
}

function weight(text: string | undefined): number {
  return (text ?? '').replaceAll(/\s/g, '').length;
}
