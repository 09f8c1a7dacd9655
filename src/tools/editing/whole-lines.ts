import type { Range } from './replace-text.ts';

/**
 * Lines of a file that equal the wanted ones except for leading and trailing whitespace. Not `whole` if the
 * first or last wanted line is only the end or start of a longer one.
 */
export type LineMatch = Range & { lines: string[]; whole: boolean };

/**
 * Returns at most two: one is a match if it is whole, two are ambiguous. Line endings must be `\n` in both
 * texts.
 */
export function findWholeLines(plain: string, wanted: string): LineMatch[] {
  const block = blockOf(wanted);
  const text = block.trimmed[block.anchor] ?? '';
  const found: LineMatch[] = [];
  if (text === '') return found;
  for (let at = plain.indexOf(text); at !== -1 && found.length < 2; ) {
    const line = lineAround(plain, at);
    const match = matchAround(plain, line, block);
    if (match) found.push(match);
    at = plain.indexOf(text, line.end);
  }
  return found;
}

/** The match at `start`, the start of a line. */
export function wholeLinesAt(plain: string, start: number, wanted: string): LineMatch | null {
  const match = matchAround(plain, lineAround(plain, start), { ...blockOf(wanted), anchor: 0 });
  return match?.whole ? match : null;
}

/**
 * The new text adapted to the match: leading and trailing lines shared with the old text stay as in the file,
 * the others are indented like their neighbours. Null if the indentation is ambiguous.
 */
export function reindented(match: LineMatch, wanted: string, replacement: string): string | null {
  const old = linesIn(wanted).lines;
  const fresh = linesIn(replacement);
  const pairs = old.flatMap((line, i) =>
    trimBlanks(line) === '' ? [] : [{ from: indentOf(line), to: indentOf(match.lines[i] ?? '') }],
  );
  const rule = indentRule(pairs);
  if (rule === null) return null;

  const shortest = Math.min(old.length, fresh.lines.length);
  let head = 0;
  while (head < shortest && old[head] === fresh.lines[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === fresh.lines.at(-1 - tail)) tail++;

  const middle: string[] = [];
  for (const line of fresh.lines.slice(head, fresh.lines.length - tail)) {
    const indent = trimBlanks(line) === '' ? '' : rule(indentOf(line));
    if (indent === null || (isMixed(indent) && !pairs.some(({ to }) => isMixed(to)))) return null;
    middle.push(trimBlanks(line) === '' ? line : indent + line.slice(indentOf(line).length));
  }
  const kept = match.lines.slice(match.lines.length - tail);
  return [...match.lines.slice(0, head), ...middle, ...kept].join('\n') + (fresh.ended ? '\n' : '');
}

/**
 * The lines to find. `anchor` is the most distinctive one, and `ended` says whether the last one must end.
 */
type Block = { trimmed: readonly string[]; anchor: number; ended: boolean };

function blockOf(wanted: string): Block {
  const { lines, ended } = linesIn(wanted);
  const trimmed = lines.map(trimBlanks);
  const longest = trimmed.reduce(
    (best, line, i) => (line.length > (trimmed[best] ?? '').length ? i : best),
    0,
  );
  return { trimmed, anchor: longest, ended };
}

/** The match with its anchor on this line. */
function matchAround(plain: string, line: Range, block: Block): LineMatch | null {
  const { trimmed, anchor, ended } = block;
  const lines: string[] = [];
  let whole = true;
  const fits = (i: number, { start, end }: Range): boolean => {
    const there = plain.slice(start, end);
    const fit = fitOf(trimBlanks(there), i, block);
    if (fit === 'part') whole = false;
    if (i < anchor) lines.unshift(there);
    else lines.push(there);
    return fit !== null;
  };
  if (!fits(anchor, line)) return null;
  let { start, end } = line;
  for (let i = anchor - 1; i >= 0; i--) {
    if (start === 0) return null;
    const above = lineAround(plain, start - 1);
    if (!fits(i, above)) return null;
    start = above.start;
  }
  for (let i = anchor + 1; i < trimmed.length; i++) {
    if (end === plain.length) return null;
    const below = lineAround(plain, end + 1);
    if (!fits(i, below)) return null;
    end = below.end;
  }
  if (!ended) return { start, end, lines, whole };
  return plain[end] === '\n' ? { start, end: end + 1, lines, whole } : null;
}

function fitOf(line: string, i: number, { trimmed, ended }: Block): 'whole' | 'part' | null {
  const wanted = trimmed[i] ?? '';
  if (line === wanted) return 'whole';
  const isFirst = i === 0;
  const isLast = i === trimmed.length - 1 && !ended;
  const isPart =
    isFirst && isLast
      ? line.includes(wanted)
      : (isFirst && line.endsWith(wanted)) || (isLast && line.startsWith(wanted));
  return isPart ? 'part' : null;
}

/** The line at a position, without its ending. */
function lineAround(plain: string, at: number): Range {
  const end = plain.indexOf('\n', at);
  return {
    start: at === 0 ? 0 : plain.lastIndexOf('\n', at - 1) + 1,
    end: end === -1 ? plain.length : end,
  };
}

type IndentRule = (indent: string) => string | null;

/**
 * The only rule that turns every `from` into its `to`: the same whitespace added or removed, or another
 * indent unit.
 */
function indentRule(pairs: readonly { from: string; to: string }[]): IndentRule | null {
  const [first] = pairs;
  if (!first) return null;
  const added = first.to.slice(0, Math.max(0, first.to.length - first.from.length));
  if (pairs.every(({ from, to }) => to === added + from)) return (indent) => added + indent;

  const removed = first.from.slice(0, Math.max(0, first.from.length - first.to.length));
  if (pairs.every(({ from, to }) => from === removed + to)) {
    return (indent) => (indent.startsWith(removed) ? indent.slice(removed.length) : null);
  }
  return scaled(pairs);
}

/** Tabs for spaces, spaces for tabs, or another indent width: every indent is scaled by the same factor. */
function scaled(pairs: readonly { from: string; to: string }[]): IndentRule | null {
  const deep = pairs.find(({ from }) => from !== '');
  const [one, other] = [deep?.from[0], deep?.to[0]];
  if (!deep || one === undefined || other === undefined) return null;
  const scale: IndentRule = (indent) => {
    const length = (indent.length * deep.to.length) / deep.from.length;
    return indent === one.repeat(indent.length) && Number.isInteger(length) ? other.repeat(length) : null;
  };
  return pairs.every(({ from, to }) => scale(from) === to) ? scale : null;
}

/** `ended` says whether the text ends with a line ending, which does not start another line. */
function linesIn(text: string): { lines: string[]; ended: boolean } {
  const lines = text.split('\n');
  const ended = lines.length > 1 && lines.at(-1) === '';
  return { lines: ended ? lines.slice(0, -1) : text === '' ? [] : lines, ended };
}

function trimBlanks(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && isBlank(line[start])) start++;
  while (end > start && isBlank(line[end - 1])) end--;
  return line.slice(start, end);
}

function indentOf(line: string): string {
  let end = 0;
  while (isBlank(line[end])) end++;
  return line.slice(0, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isMixed(indent: string): boolean {
  return indent.includes(' ') && indent.includes('\t');
}
