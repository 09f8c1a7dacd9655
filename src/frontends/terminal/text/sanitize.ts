/** Control characters except newline; a tab moves the cursor, too. */
const CONTROL = /[^\P{Cc}\n]/gu;

/** Direction overrides, line separators other than newline, and lone surrogates. */
const UNFIT = /[\u202a-\u202e\u2066-\u2069\u2028\u2029]|\p{Cs}/gu;

const TAB_STOP = 4;

/**
 * Text of the model or of a file without anything that controls a terminal. Unlike in a permission prompt,
 * joiners stay: an answer in Arabic or with joined emoji must be readable.
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

/** Expands tabs to spaces up to the next tab stop. */
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
