/** Control characters but newline; a tab moves the cursor, too. */
const CONTROL = /[^\P{Cc}\n]/gu;

/** Letters that override the direction of text, breaks that are no newline, and halves of pairs. */
const UNFIT = /[\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Cs}/gu;

const TAB_STOP = 4;

/**
 * Words of the model or of a file as text that no terminal obeys. Unlike in a question, marks that shape letters stay:
 * an answer in Arabic or with joined emoji must read as it was meant.
 */
export function sanitize(text: string): string {
  if (!/[^ -~\n]/.test(text)) return text;
  return withoutTabs(text.replaceAll('\r\n', '\n'))
    .replaceAll(CONTROL, pictureOf)
    .replaceAll(UNFIT, '\uFFFD');
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : '\uFFFD';
}

/** Tabs as blanks up to the next stop of their line. */
export function withoutTabs(text: string): string {
  if (!text.includes('\t')) return text;
  return text
    .split('\n')
    .map((line) => {
      let out = '';
      for (const [i, part] of line.split('\t').entries()) {
        if (i > 0) out += ' '.repeat(TAB_STOP - (out.length % TAB_STOP));
        out += part;
      }
      return out;
    })
    .join('\n');
}
