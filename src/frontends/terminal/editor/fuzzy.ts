/** Names made ready for many searches. Searching a hundred thousand of them takes some milliseconds. */
export type NameIndex = {
  names: readonly string[];
  lower: readonly string[];
  /** Which letters and digits a name holds, a bit each: most names are ruled out by it alone. */
  letters: Int32Array;
};

export type Match = { name: string; marks: number[] };

type Scored = { at: number; score: number };

export function indexNames(names: readonly string[]): NameIndex {
  const lower = names.map(lowered);
  const letters = new Int32Array(names.length);
  for (let at = 0; at < lower.length; at++) letters[at] = lettersOf(lower[at] ?? '');
  return { names, lower, letters };
}

/** The best `limit` names that hold the query's characters in their order, the best first. */
export function search({ names, lower, letters }: NameIndex, query: string, limit: number): Match[] {
  const wanted = lowered(query);
  if (wanted === '') return names.slice(0, limit).map((name) => ({ name, marks: [] }));
  const needed = lettersOf(wanted);
  const most = HIT + IN_A_ROW + WORD_START + LAST_PART;
  const highest = (most * wanted.length + WHOLE_PIECE) * PER_POINT;
  const marks = new Int32Array(wanted.length);
  const best: Scored[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < lower.length; at++) {
    if (((letters[at] ?? 0) & needed) !== needed) continue;
    const low = lower[at] ?? '';
    if (highest - lengthCost(low) <= least) continue;
    const name = names[at] ?? '';
    if (!mark(marks, { low, name, wanted })) continue;
    const score = scoreOf(marks, low, name);
    if (best.length >= limit && score <= least) continue;
    insert(best, { at, score }, limit);
    if (best.length >= limit) least = best.at(-1)?.score ?? least;
  }
  return best.map(({ at }) => {
    const name = names[at] ?? '';
    mark(marks, { low: lower[at] ?? '', name, wanted });
    return { name, marks: [...marks] };
  });
}

/** In small letters, unless that makes it longer: places in both must be the same. */
function lowered(name: string): string {
  const lower = name.toLowerCase();
  return lower.length === name.length ? lower : name;
}

/** Names of equal worth keep their order. */
function insert(best: Scored[], one: Scored, limit: number): void {
  let at = best.length;
  while (at > 0 && (best[at - 1]?.score ?? 0) < one.score) at--;
  best.splice(at, 0, one);
  if (best.length > limit) best.pop();
}

const HIT = 16;
const IN_A_ROW = 12;
const WORD_START = 12;
const LAST_PART = 8;
const WHOLE_PIECE = 30;
/** Length decides only where nothing else does. */
const PER_POINT = 64;

function lengthCost(name: string): number {
  return Math.min(name.length, PER_POINT * 4);
}

/** Hits in the last part of a path, at starts of words and side by side count for more. */
function scoreOf(marks: Int32Array, low: string, name: string): number {
  const part = lastPart(low);
  let score = 0;
  let before = -2;
  for (const at of marks) {
    score += HIT;
    if (before === at - 1) score += IN_A_ROW;
    else if (before >= 0) score -= Math.min(HIT, at - before);
    if (isWordStart(name, at)) score += WORD_START;
    if (at >= part) score += LAST_PART;
    before = at;
  }
  const first = marks[0] ?? 0;
  const isPiece = before - first === marks.length - 1;
  if (isPiece && (first === part || first === 0)) score += WHOLE_PIECE;
  return score * PER_POINT - lengthCost(low);
}

type Hay = { low: string; name: string; wanted: string };

/**
 * Finds the places of the query's characters; false when there are none. As one piece is better than at starts of
 * words, that is better than anywhere; and each in the last part is better than in the whole path.
 */
function mark(marks: Int32Array, hay: Hay): boolean {
  const part = lastPart(hay.low);
  if (inPiece(marks, hay, part) || atWordStarts(marks, hay, part) || scattered(marks, hay, part)) return true;
  return part > 0 && (inPiece(marks, hay, 0) || atWordStarts(marks, hay, 0) || scattered(marks, hay, 0));
}

/** The query as a whole, the start of a word before other places. */
function inPiece(marks: Int32Array, { low, name, wanted }: Hay, from: number): boolean {
  let place = low.indexOf(wanted, from);
  if (place < 0) return false;
  for (let at = place; at >= 0; at = low.indexOf(wanted, at + 1)) {
    if (!isWordStart(name, at)) continue;
    place = at;
    break;
  }
  for (let i = 0; i < marks.length; i++) marks[i] = place + i;
  return true;
}

/** Every character beside the one before, or at the next word that begins with it. */
function atWordStarts(marks: Int32Array, { low, name, wanted }: Hay, from: number): boolean {
  let place = from - 1;
  for (let i = 0; i < wanted.length; i++) {
    const unit = wanted[i] ?? '';
    const isNext = i > 0 && low[place + 1] === unit;
    place = isNext ? place + 1 : low.indexOf(unit, place + 1);
    while (!isNext && place >= 0 && !isWordStart(name, place)) place = low.indexOf(unit, place + 1);
    if (place < 0) return false;
    marks[i] = place;
  }
  return true;
}

/** Forward to the first end that holds all, then back from it, so that the hits stand close together. */
function scattered(marks: Int32Array, { low, wanted }: Hay, from: number): boolean {
  let end = from;
  for (let i = 0; i < wanted.length; i++) {
    end = low.indexOf(wanted[i] ?? '', end) + 1;
    if (end === 0) return false;
  }
  let place = end - 1;
  for (let i = wanted.length - 1; i >= 0; i--) {
    place = low.lastIndexOf(wanted[i] ?? '', place);
    marks[i] = place--;
  }
  return true;
}

/** Where the file's own name begins; of a folder, its last one. */
function lastPart(name: string): number {
  return name.length < 2 ? 0 : name.lastIndexOf('/', name.length - 2) + 1;
}

function isWordStart(name: string, at: number): boolean {
  if (at === 0) return true;
  const before = name.charCodeAt(at - 1);
  const here = name.charCodeAt(at);
  const isSign = !isLetter(before) && !(before >= 48 && before <= 57) && before < 128;
  return isSign || (here >= 65 && here <= 90 && before >= 97 && before <= 122);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** 26 letters, a bit for every two digits, one for all the rest. */
function lettersOf(lower: string): number {
  let bits = 0;
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at);
    if (code >= 97 && code <= 122) bits |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) bits |= 1 << (26 + ((code - 48) >> 1));
    else bits |= 1 << 31;
  }
  return bits;
}
