/** Maximum number of characters shown of a line. */
export const MAX_LINE_LENGTH = 2_000;

/**
 * Cuts a very long line and appends a marker. `length` is that of the whole line if `line` is only its start.
 */
export function cutLine(line: string, length = line.length): string {
  if (length <= MAX_LINE_LENGTH) return line;
  const start = startOf(line, MAX_LINE_LENGTH);
  return `${start} [line cut: ${length - start.length} more characters]`;
}

/** At most `max` characters; one fewer where the cut would split a surrogate pair. */
export function startOf(text: string, max: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) && text.length > max ? max - 1 : max);
}
