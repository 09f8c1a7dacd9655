import type { Range } from './replace-text.ts';

/** Lines of a file that are those wanted, but for blanks at their beginnings and ends. */
export type LineMatch = Range & { lines: string[] };

/** Finds at most two: one is a match, two are a doubt. Line ends must be `\n` in both texts. */
export function findWholeLines(plain: string, wanted: string): LineMatch[] {
  const { lines, ended } = linesIn(wanted);
  const trimmed = lines.map(trimBlanks);
  const anchor = trimmed.reduce(
    (best, line, i) => (line.length > (trimmed[best] ?? '').length ? i : best),
    0,
  );
  const text = trimmed[anchor] ?? '';
  if (text === '') return [];

  const found: LineMatch[] = [];
  for (
    let at = plain.indexOf(text);
    at !== -1 && found.length < 2;
    at = plain.indexOf(text, at + text.length)
  ) {
    const match = matchAround(plain, { at, text, anchor }, trimmed);
    if (match && (!ended || plain[match.end] === '\n')) {
      found.push(ended ? { ...match, end: match.end + 1 } : match);
    }
  }
  return found;
}

/**
 * The new text as it must stand where the old one matched: lines it has in common with the old at its beginning and
 * end stay as the file has them, the others are indented as their neighbours. Null when it is not certain how.
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

type Anchor = { at: number; text: string; anchor: number };

/** The match whose anchor line has its text at `at`, if the lines around it are the right ones, too. */
function matchAround(
  plain: string,
  { at, text, anchor }: Anchor,
  trimmed: readonly string[],
): LineMatch | null {
  let start = at;
  while (start > 0 && isBlank(plain[start - 1])) start--;
  let end = at + text.length;
  while (end < plain.length && isBlank(plain[end])) end++;
  if ((start > 0 && plain[start - 1] !== '\n') || (end < plain.length && plain[end] !== '\n')) return null;

  const lines = [plain.slice(start, end)];
  for (let i = anchor - 1; i >= 0; i--) {
    if (start === 0) return null;
    const lineStart = start === 1 ? 0 : plain.lastIndexOf('\n', start - 2) + 1;
    const line = plain.slice(lineStart, start - 1);
    if (trimBlanks(line) !== trimmed[i]) return null;
    lines.unshift(line);
    start = lineStart;
  }
  for (const wanted of trimmed.slice(anchor + 1)) {
    if (end === plain.length) return null;
    const newline = plain.indexOf('\n', end + 1);
    const lineEnd = newline === -1 ? plain.length : newline;
    const line = plain.slice(end + 1, lineEnd);
    if (trimBlanks(line) !== wanted) return null;
    lines.push(line);
    end = lineEnd;
  }
  return { start, end, lines };
}

type IndentRule = (indent: string) => string | null;

/** The one way to turn every `from` into its `to`: the same blanks added, the same taken away, or another unit. */
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

/** Tabs for spaces, spaces for tabs, or steps of another width: every indent grows by the same factor. */
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

/** `ended` tells whether the text ends with a line end, which then begins no line. */
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
