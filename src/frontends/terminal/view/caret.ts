/** Concealed text, which we never use otherwise. */
const BEGIN = '\u001b[8m';
const END = '\u001b[28m';

/**
 * Marks the character under the caret, a space at the end of a line. The painter removes the mark and places
 * the terminal's own cursor there, wherever the layout has moved the text.
 */
export function caretAt(character: string): string {
  return `${BEGIN}${character === '' ? ' ' : character}${END}`;
}

/** The line without its mark, and the text before the mark; null if there is none. */
export function takeCaret(line: string): { line: string; before: string } | null {
  const at = line.indexOf(BEGIN);
  if (at === -1) return null;
  const before = line.slice(0, at);
  return { line: before + line.slice(at).replaceAll(BEGIN, '').replaceAll(END, ''), before };
}
