import { type Encoding, hasHalfCharacter } from '../../lib/text/text-encoding.ts';
import { hasLineNumbers, withoutLineNumbers } from './line-numbers.ts';
import { nearestText } from './nearest-text.ts';
import {
  type FlatText,
  findText,
  flatEnds,
  flatten,
  lineAt,
  originalOf,
  type Range,
  replaceRanges,
  startOfLine,
  withoutOverlaps,
} from './replace-text.ts';
import { linesOf } from './text.ts';
import { textOfUnits, unitsOf } from './units.ts';
import { findWholeLines, type LineMatch, reindented, wholeLinesAt } from './whole-lines.ts';

export type Replacement = { old_string: string; new_string: string; replace_all: boolean };

/** `notes` report to the model where the edit deviated from its request. */
export type Edited =
  | { type: 'edited'; units: string; count: number; notes: string[] }
  | { type: 'refused'; error: string };

/** A text to find and its replacement, null if that cannot be encoded. Both in units. */
type Wanted = { old: string; text: string | null };

/**
 * `line` is the first line number, `count` how many there are. `inDoubt`: the numbers in the new text may be
 * intended.
 */
type Numbered = Wanted & { line: number; count: number; inDoubt: boolean };

/** A match that ignores whitespace, and the notes for the model so far. */
type Place = { match: LineMatch; form: Wanted; notes: string[] };

const NUMBERS_REMOVED = 'The line numbers were removed: they are not part of the file.';
const ENDS_DIFFER = 'The line endings in old_string are not those of the file, which were kept.';

/**
 * One replacement in a text given as units of its encoding. Never guesses: an exact match, line endings
 * aside, is replaced; otherwise there must be exactly one match among all interpretations of the edit.
 */
export function applyEdit(units: string, encoding: Encoding, edit: Replacement): Edited {
  const useless = explainUseless(edit);
  if (useless !== null) return refused(useless);

  const flat = flatten(units);
  const wanted = inUnits({ old: edit.old_string, text: edit.new_string }, encoding);
  const missing = () => refused(explainMissing(textOfUnits(units, encoding), edit.old_string));
  if (wanted === null) return missing();
  const ranges = findText(flat, wanted.old);
  if (ranges.length > 1 && !edit.replace_all) return refused(explainMany(flat, ranges));

  const unencodable = () => refused(explainUnencodable(edit.new_string, encoding));
  if (ranges.length > 0) {
    if (wanted.text === null) return unencodable();
    return replaceEach(flat, ranges, { text: wanted.text, notes: noteOfEnds(flat, ranges, edit.old_string) });
  }
  const [place, another] = placesOf(flat, wanted, numberedForm(edit, encoding));
  if (!place?.match.whole || another) return missing();
  const { match, form, notes } = place;
  if (form.text === null) return unencodable();
  const isExact = flat.plain.slice(match.start, match.end) === form.old;
  const text = isExact ? form.text : reindented(match, form.old, form.text);
  if (text === null) return missing();
  if (!isExact) notes.push(noteOfBlanks(flat, match));
  return replaced(flat, [match], { text, notes: [...notes, ...noteOfEnds(flat, [match], edit.old_string)] });
}

/**
 * Replaces every occurrence. Of overlapping ones, as many as possible: the leftmost and the rightmost choice
 * must yield the same text, or the edit is ambiguous.
 */
function replaceEach(
  flat: FlatText,
  ranges: readonly Range[],
  put: { text: string; notes: string[] },
): Edited {
  const chosen = withoutOverlaps(ranges, 'first');
  const result = replaced(flat, chosen, put);
  if (chosen.length === ranges.length || result.type === 'refused') return result;
  const other = replaced(flat, withoutOverlaps(ranges, 'last'), put);
  return other.type === 'edited' && other.units === result.units
    ? result
    : refused(explainOverlap(flat, ranges));
}

/** All possible matches of a text that has no exact match, for every interpretation of the edit. */
function placesOf(flat: FlatText, wanted: Wanted, numbered: Numbered | null): Place[] {
  const places = findWholeLines(flat.plain, wanted.old).map(
    (match): Place => ({ match, form: wanted, notes: [] }),
  );
  const match = numbered && findNumbered(flat, numbered);
  return match ? [...places, { match, form: numbered, notes: [NUMBERS_REMOVED] }] : places;
}

function findNumbered(flat: FlatText, { old, line, count, inDoubt }: Numbered): LineMatch | null {
  const start = startOfLine(flat, line);
  const match = start === null ? null : wholeLinesAt(flat.plain, start, old);
  if (!match) return null;
  // A trailing empty line has a number and no text to compare.
  const isThere =
    match.lines.length === count || /[ \t]*\n/y.test(flat.plain.slice(match.end, match.end + 1000));
  return isThere ? { ...match, whole: !inDoubt } : null;
}

function explainUseless({ old_string, new_string }: Replacement): string | null {
  if (old_string === '') return 'old_string is empty. Pass the text to replace, or use Write for a new file.';
  if (old_string === new_string) return 'old_string and new_string are the same; there is nothing to change.';
  if (hasHalfCharacter(old_string + new_string))
    return 'The text contains half of a character (a lone surrogate). Send it complete.';
  return null;
}

/** The edit without line numbers pasted from Read; null if there are none. */
function numberedForm({ old_string, new_string }: Replacement, encoding: Encoding): Numbered | null {
  const bare = withoutLineNumbers(flatEnds(old_string));
  if (bare === null) return null;
  const fresh = withoutLineNumbers(flatEnds(new_string));
  const isNumbered = fresh?.first === bare.first;
  const form = inUnits({ old: bare.text, text: isNumbered ? fresh.text : new_string }, encoding);
  // Numbers on some lines only, or different ones.
  const inDoubt = !isNumbered && hasLineNumbers(new_string);
  return form && { ...form, line: bare.first, count: bare.count, inDoubt };
}

/** Null if the old text cannot be encoded, so that it cannot occur. */
function inUnits({ old, text }: { old: string; text: string }, encoding: Encoding): Wanted | null {
  const units = unitsOf(flatEnds(old), encoding);
  return units === null ? null : { old: units, text: unitsOf(flatEnds(text), encoding) };
}

function replaced(
  flat: FlatText,
  ranges: readonly Range[],
  { text, notes }: { text: string; notes: string[] },
): Edited {
  const units = replaceRanges(flat, ranges, text);
  if (units === flat.original) {
    return refused(
      'The edit changes nothing: the texts differ only in line endings or whitespace, and those of the file are kept.',
    );
  }
  return { type: 'edited', units, count: ranges.length, notes };
}

function refused(error: string): Edited {
  return { type: 'refused', error };
}

function noteOfEnds(flat: FlatText, ranges: readonly Range[], wanted: string): string[] {
  const ends = endsOf(wanted);
  return ranges.every((range) => endsOf(originalOf(flat, range)) === ends) ? [] : [ENDS_DIFFER];
}

function endsOf(text: string): string {
  return (text.match(/\r\n?|\n/g) ?? []).join(' ');
}

function noteOfBlanks(flat: FlatText, { start, lines }: LineMatch): string {
  const first = lineAt(flat, start);
  const place = lines.length === 1 ? `line ${first}` : `lines ${first} to ${first + lines.length - 1}`;
  return (
    `old_string was not found exactly; ${place} matched except for leading and trailing whitespace, ` +
    'and new_string was indented to fit.'
  );
}

function explainUnencodable(text: string, encoding: Encoding): string {
  const odd = [...text].find((character) => unitsOf(character, encoding) === null) ?? '';
  const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return (
    `The file is in ${encoding}, which cannot represent ${odd} (U+${code}). ` +
    'Avoid it, or convert the file to UTF-8 first, for example with iconv.'
  );
}

function explainMissing(text: string, wanted: string): string {
  const lines = linesOf(text);
  const bare = withoutLineNumbers(flatEnds(wanted));
  const near = (bare && nearestText(lines, linesOf(bare.text))) ?? nearestText(lines, linesOf(wanted));
  if (near === null) return 'String not found in file\nNothing in it looks similar. Read the file again.';
  return `String not found in file\nThe nearest text is this; copy it exactly, without the line numbers:\n${near}`;
}

function explainMany(flat: FlatText, ranges: readonly Range[]): string {
  return (
    `String appears ${ranges.length} times. Use replace_all or provide more context.\n` +
    `It starts on ${linesWhere(flat, ranges)}.`
  );
}

function explainOverlap(flat: FlatText, ranges: readonly Range[]): string {
  return (
    `String appears ${ranges.length} times, and some of them overlap, so replace_all has more than one possible ` +
    `result. Edit each place with more context.\nIt starts on ${linesWhere(flat, ranges)}.`
  );
}

function linesWhere(flat: FlatText, ranges: readonly Range[]): string {
  const lines = ranges.slice(0, 20).map(({ start }) => lineAt(flat, start));
  return `lines ${lines.join(', ')}${ranges.length > lines.length ? ', …' : ''}`;
}
