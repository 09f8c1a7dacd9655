/** A text without marks that are not seen, and with its escaped letters; and where each character was. */
export type PlainView = { text: string; spanOf(start: number, end: number): { start: number; end: number } };

/**
 * Colors of a terminal, characters without a width, and `\u0077` for an ASCII character: inside a name or a value they
 * keep it from being recognized.
 */
const MARK =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors begin with one.
  /(?:\x1b|\\u001b|\\x1b|\\e|\\033)\[[\d;]{0,20}m|[\u00ad\u200b-\u200d\u2060\ufeff]|\\u00([2-7][\da-f])/gi;

/** Null if the text is plain already. */
export function plainView(text: string): PlainView | null {
  const marks = [...text.matchAll(MARK)];
  if (marks.length === 0) return null;
  let plain = '';
  let from = 0;
  /** Where a stretch of the plain text begins in both. */
  const stretches = [{ plain: 0, written: 0 }];
  for (const { 0: mark, 1: hex, index } of marks) {
    plain += text.slice(from, index);
    from = index + mark.length;
    if (hex !== undefined) {
      stretches.push({ plain: plain.length, written: index });
      plain += String.fromCharCode(Number.parseInt(hex, 16));
    }
    stretches.push({ plain: plain.length, written: from });
  }
  plain += text.slice(from);
  const writtenAt = (at: number) => {
    const { plain: begins, written } = stretches[lastAtMost(stretches, at)] ?? { plain: 0, written: 0 };
    return written + at - begins;
  };
  return {
    text: plain,
    spanOf: (start, end) => ({ start: writtenAt(start), end: endOf(text, writtenAt(end - 1)) }),
  };
}

/** The end of the character at this place, which may be escaped. */
function endOf(text: string, at: number): number {
  return at + (text.startsWith('\\u00', at) ? '\\u0000'.length : 1);
}

/** The last stretch that begins at or before this place. */
function lastAtMost(stretches: readonly { plain: number }[], at: number): number {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stretches[middle]?.plain ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
