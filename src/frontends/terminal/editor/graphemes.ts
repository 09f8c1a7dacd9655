/**
 * Grapheme boundaries. Offsets are in UTF-16 units. Text here has no carriage returns, so a newline is always
 * a grapheme by itself.
 */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Placeholders for folded pieces, in the last private use plane. They never combine with other characters.
 */
const FOLDS = /([\u{100000}-\u{10fffd}])/u;

export function isFoldSign(character: string): boolean {
  return FOLDS.test(character);
}

/** The graphemes of one line. */
export function graphemesOf(line: string): string[] {
  if (isAscii(line)) return line.split('');
  const found: string[] = [];
  let from = 0;
  while (from < line.length) {
    let to = from + 1;
    while (to < line.length && !(standsAlone(line, to - 1) && standsAlone(line, to))) to++;
    if (to === from + 1 && standsAlone(line, from)) found.push(line.slice(from, to));
    else found.push(...segmented(line.slice(from, to)));
    from = to;
  }
  return found;
}

function segmented(piece: string): string[] {
  return piece
    .split(FOLDS)
    .flatMap((part) =>
      isFoldSign(part) ? [part] : Array.from(segmenter.segment(part), ({ segment }) => segment),
    );
}

/**
 * Whether a character never combines with another such character next to it, as nearly all in most texts. The
 * segmenter, which takes a hundred times as long, is used only for the others and their neighbors.
 */
function standsAlone(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return (
    (code >= 0x20 && code < 0x7f) ||
    (code >= 0xae && code < 0x300) ||
    (code >= 0x3_91 && code <= 0x4_81) ||
    (code >= 0x30_41 && code <= 0x30_96) ||
    (code >= 0x30_a1 && code <= 0x30_fa) ||
    (code >= 0x4e_00 && code <= 0x9f_ff) ||
    (code >= 0xac_00 && code <= 0xd7_a3)
  );
}

/** The boundary before `at`; 0 at the start. */
export function before(text: string, at: number): number {
  if (at <= 1) return 0;
  if (isAscii(text.slice(at - 2, at + 1))) return at - 1;
  const start = lineStart(text, at);
  if (start === at) return at - 1;
  return boundaries(text, at).findLast((place) => place < at) ?? start;
}

/** The boundary after `at`; the text length at the end. */
export function after(text: string, at: number): number {
  if (at >= text.length - 1) return text.length;
  if (isAscii(text.slice(at, at + 2))) return at + 1;
  if (text[at] === '\n') return at + 1;
  return boundaries(text, at).find((place) => place > at) ?? lineEnd(text, at);
}

/** `at` itself if it is a boundary, or else the next one. */
export function settled(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  if (isAscii(text.slice(at - 1, at + 1))) return at;
  return boundaries(text, at).find((place) => place >= at) ?? lineEnd(text, at);
}

/** Like `settled`, but the previous one. */
export function settledBack(text: string, at: number): number {
  const place = settled(text, at);
  return place === Math.max(0, Math.min(at, text.length)) ? place : before(text, place);
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Boundaries of the line that contains `at`, including its end. */
function boundaries(text: string, at: number): number[] {
  const start = lineStart(text, at);
  const places = [start];
  let place = start;
  for (const grapheme of graphemesOf(text.slice(start, lineEnd(text, at)))) {
    place += grapheme.length;
    places.push(place);
  }
  return places;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 126) return false;
  }
  return true;
}
