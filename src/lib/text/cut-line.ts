/** As much of a line as is shown; of a longer one only this many characters are kept. */
export const MAX_LINE_LENGTH = 2_000;

/** A very long line ends with a marker. `length` is that of the whole line, where `line` is only its beginning. */
export function cutLine(line: string, length = line.length): string {
  if (length <= MAX_LINE_LENGTH) return line;
  const start = startOf(line, MAX_LINE_LENGTH);
  return `${start} [line cut: ${length - start.length} more characters]`;
}

/** At most so many characters; one fewer where the cut would fall between the two halves of one. */
export function startOf(text: string, max: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) && text.length > max ? max - 1 : max);
}
