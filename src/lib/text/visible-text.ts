/** Characters that reorder, hide or join text invisibly. */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/** Newline and tab are left to the code that breaks the text into rows. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** A lone surrogate, which no terminal can print. */
const LONE_HALF = /\p{Cs}/gu;

/**
 * Makes every character of text from the model, files and programs visible and harmless: an escape character
 * reads `␛`, a bidirectional override `<U+202E>`.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROL, picture)
    .replaceAll(UNSEEN, named)
    .replaceAll(LONE_HALF, '\uFFFD');
}

/** As one row: a newline in a name must not look like a row of ours. */
export function visibleLine(text: string): string {
  return visibleText(text)
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .trim();
}

/** All zero-width characters, and spaces other than the one the shell knows. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/gu;
/** Letters that look like Latin ones, where they are next to Latin letters. */
const LOOKS_ENGLISH = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
/** Latin letters and symbols in other widths and styles. */
const RESTYLED = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** More would push the text after them out of view. */
const BLANKS = / {20,}/g;

/**
 * Text the user is asked to approve, made unambiguous: also names what `visibleText` allows in ordinary text,
 * such as joiners and unusual spaces, and lookalike letters.
 */
export function exactText(text: string): string {
  const shown = visibleText(text)
    .replaceAll('\t', '    ')
    .replaceAll(HIDDEN, named)
    .replaceAll(RESTYLED, named);
  return shown
    .replaceAll(WORD, (word) => (/[A-Za-z]/.test(word) ? word.replaceAll(LOOKS_ENGLISH, named) : word))
    .replaceAll(BLANKS, (blanks) => ` <${blanks.length} blanks> `);
}

/** The same as one row. */
export function exactLine(text: string): string {
  return exactText(text).replaceAll(/\s*\n\s*/g, ' ⏎ ');
}

/**
 * Rows of at most `columns` width, all but the first with a prefix: no row of the text starts where one of
 * ours would.
 */
export function hangingRows(
  text: string,
  { prefix, columns }: { prefix: string; columns: number },
): string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const character of text) {
    // Most non-ASCII characters take two columns; for narrower ones the row only ends early.
    const width = character <= '~' ? 1 : 2;
    if (used + width > columns && row !== '') {
      rows.push(row);
      row = prefix;
      used = prefix.length;
    }
    row += character;
    used += width;
  }
  return [...rows, row];
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : named(character);
}

function named(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
