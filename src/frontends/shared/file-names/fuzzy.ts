/** Names indexed for repeated searches. Searching 100,000 of them takes a few milliseconds. */
export type NameIndex = {
  names: readonly string[];
  lower: readonly string[];
  /** A bit mask of the letters and digits in each name: it excludes most names by itself. */
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

/** The best `limit` names that contain the query's characters in order, best first. */
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

/** Lower case, unless that changes the length: offsets in both must be the same. */
function lowered(name: string): string {
  const lower = name.toLowerCase();
  return lower.length === name.length ? lower : name;
}

/** Equal matches keep their order. */
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
/** Length is only a tie-breaker. */
const PER_POINT = 64;

function lengthCost(name: string): number {
  return Math.min(name.length, PER_POINT * 4);
}

/** Matches in the last part of a path, at word starts and in a row score higher. */
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
 * Finds the positions of the query's characters; false when there is no match. A contiguous match is better
 * than word starts, which are better than scattered ones; each is better in the last path part than in the
 * whole path.
 */
function mark(marks: Int32Array, hay: Hay): boolean {
  const part = lastPart(hay.low);
  if (inPiece(marks, hay, part) || atWordStarts(marks, hay, part) || scattered(marks, hay, part)) return true;
  return part > 0 && (inPiece(marks, hay, 0) || atWordStarts(marks, hay, 0) || scattered(marks, hay, 0));
}

/** The query as a substring, preferably at a word start. */
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

/** Every character right after the previous one, or at the next word that starts with it. */
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

/** Forward to the first end that contains all, then back from it, so that the matches are close together. */
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

/** Where the base name starts; for a folder, its last component. */
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
