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

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : named(character);
}

function named(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}
