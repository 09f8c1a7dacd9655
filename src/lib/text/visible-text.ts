/** Letters that turn the direction of text, hide it or join it unseen. */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

/** Newline and tab are left to whoever breaks the text into rows. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** Half of a pair, which no terminal can write. */
const LONE_HALF = /\p{Cs}/gu;

/**
 * Words of the model, of files and of programs, so that every character can be seen and none is obeyed: an escape
 * character reads `␛`, one that turns the direction of letters `<U+202E>`.
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

/** All that takes no room, and blanks that are not the one the shell knows. */
const HIDDEN = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\u2800/gu;
/** Letters that are drawn like those of English, where they stand among such letters. */
const LOOKS_ENGLISH = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
/** English letters and signs in other widths and styles. */
const RESTYLED = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** More would push what stands behind them out of sight. */
const BLANKS = / {20,}/g;

/**
 * What a person is asked to approve. Here nothing may be mistaken: what `visibleText` lets pass in ordinary text, such as
 * joiners and other blanks, is named, too, and so are letters that pass for others.
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

/** Rows of at most so many columns, all but the first behind a prefix: no row of a text begins where a row of ours would. */
export function hangingRows(
  text: string,
  { prefix, columns }: { prefix: string; columns: number },
): string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const character of text) {
    // Most characters beyond ASCII take two columns; for one that takes less the row only ends early.
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
