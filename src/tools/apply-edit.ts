import { type Encoding, hasHalfCharacter } from '../lib/text-encoding.ts';
import { hasLineNumbers, withoutLineNumbers } from './line-numbers.ts';
import { nearestText } from './nearest-text.ts';
import {
  type FlatText,
  findText,
  flatEnds,
  flatten,
  lineAt,
  type Range,
  replaceRanges,
} from './replace-text.ts';
import { linesOf } from './text.ts';
import { textOfUnits, unitsOf } from './units.ts';
import { findWholeLines, type LineMatch, reindented } from './whole-lines.ts';

export type Replacement = { old_string: string; new_string: string; replace_all: boolean };

/** `notes` tell the model what was done otherwise than it wrote. */
export type Edited =
  | { type: 'edited'; units: string; count: number; notes: string[] }
  | { type: 'refused'; error: string };

/** A text to look for, with what goes in its place: null when the encoding has no place for that. Both in units. */
type Wanted = { old: string; text: string | null; wholeLines: boolean; notes: string[] };

const NUMBERS_LEFT_OUT = 'The line numbers before each line were left out: they are not part of the file.';

/** One replacement in a text given as units of its encoding. Never a guess: what is not certain is refused. */
export function applyEdit(units: string, encoding: Encoding, edit: Replacement): Edited {
  const useless = explainUseless(edit);
  if (useless !== null) return refused(useless);

  const flat = flatten(units);
  const forms = formsOf(edit, encoding);
  for (const form of forms) {
    const ranges = findText(flat, form.old).filter((range) => !form.wholeLines || isWholeLines(flat, range));
    if (ranges.length === 0) continue;
    if (ranges.length > 1 && !edit.replace_all) return refused(explainMany(flat, ranges));
    if (form.text === null) return refused(explainUnencodable(edit.new_string, encoding));
    return replaced(flat, ranges, { text: form.text, notes: form.notes });
  }
  for (const form of forms) {
    const [match, another] = findWholeLines(flat.plain, form.old);
    if (!match || another) continue;
    if (form.text === null) return refused(explainUnencodable(edit.new_string, encoding));
    const text = reindented(match, form.old, form.text);
    if (text === null) continue;
    const notes = [...form.notes, noteOfBlanks(flat, match)];
    return replaced(flat, [match], { text, notes });
  }
  return refused(explainMissing(textOfUnits(units, encoding), edit.old_string));
}

function explainUseless({ old_string, new_string }: Replacement): string | null {
  if (old_string === '') return 'old_string is empty. Give the text to replace, or use Write for a new file.';
  if (old_string === new_string) return 'old_string and new_string are the same; there is nothing to change.';
  if (hasHalfCharacter(old_string + new_string)) return 'The text has half a character in it. Send it whole.';
  return null;
}

/** The edit as it was written, then without the line numbers it may have brought along from Read. */
function formsOf({ old_string, new_string }: Replacement, encoding: Encoding): Wanted[] {
  const literal = { old: old_string, text: new_string, wholeLines: false, notes: [] };
  const bare = withoutLineNumbers(flatEnds(old_string));
  const text = withoutLineNumbers(flatEnds(new_string));
  const numbered = { old: bare?.text ?? '', wholeLines: true, notes: [NUMBERS_LEFT_OUT] };
  const forms =
    bare === null
      ? [literal]
      : text?.first === bare.first
        ? [literal, { ...numbered, text: text.text }]
        : // Numbers on some lines only, or other ones: they may be meant.
          hasLineNumbers(new_string)
          ? [literal]
          : [literal, { ...numbered, text: new_string }];
  return forms.flatMap((form) => {
    const old = unitsOf(flatEnds(form.old), encoding);
    return old === null ? [] : [{ ...form, old, text: unitsOf(flatEnds(form.text), encoding) }];
  });
}

function replaced(
  flat: FlatText,
  ranges: readonly Range[],
  { text, notes }: { text: string; notes: string[] },
): Edited {
  const units = replaceRanges(flat, ranges, text);
  if (units === flat.original) {
    return refused(
      'The edit changes nothing: the texts differ in line endings or blanks only, and those of the file are kept.',
    );
  }
  return { type: 'edited', units, count: ranges.length, notes };
}

function refused(error: string): Edited {
  return { type: 'refused', error };
}

function isWholeLines({ plain }: FlatText, { start, end }: Range): boolean {
  const begins = start === 0 || plain[start - 1] === '\n';
  return begins && (end === plain.length || plain[end] === '\n' || plain[end - 1] === '\n');
}

function noteOfBlanks(flat: FlatText, { start, lines }: LineMatch): string {
  const first = lineAt(flat, start);
  const place = lines.length === 1 ? `line ${first}` : `lines ${first} to ${first + lines.length - 1}`;
  return (
    `old_string is not there to the letter; ${place} matched but for blanks at line beginnings and ends, ` +
    'and new_string was indented to fit. Read the place if its layout matters.'
  );
}

function explainUnencodable(text: string, encoding: Encoding): string {
  const odd = [...text].find((character) => unitsOf(character, encoding) === null) ?? '';
  const code = (odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return (
    `The file is in ${encoding}, which has no place for ${odd} (U+${code}). ` +
    'Do without it, or convert the file to UTF-8 first, for example with iconv.'
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
  const lines = ranges.slice(0, 20).map(({ start }) => lineAt(flat, start));
  const more = ranges.length > lines.length ? ', …' : '';
  return (
    `String appears ${ranges.length} times. Use replace_all or provide more context.\n` +
    `It begins on lines ${lines.join(', ')}${more}.`
  );
}
