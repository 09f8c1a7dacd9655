/** Maximum number of characters shown of a line. */
const MAX_LINE_LENGTH = 2_000;

/** Which characters of lines are shown: `width` of them, after `skip` others. */
export type LinePart = { skip: number; width: number };

export const LINE_START: LinePart = { skip: 0, width: MAX_LINE_LENGTH };

/**
 * Cuts a very long line and appends a marker. `length` is that of the whole line if `line` is only its start.
 */
export function cutLine(line: string, length = line.length): string {
  return cutRest(line, length, LINE_START);
}

/** The same for a part of a line: `rest` begins with that part. */
export function cutRest(rest: string, length: number, { skip, width }: LinePart): string {
  if (length - skip <= width) return rest;
  const shown = startOf(rest, width);
  return `${shown} [line cut: ${length - skip - shown.length} more characters]`;
}

/** At most `max` characters; one fewer where the cut would split a surrogate pair. */
export function startOf(text: string, max: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(max - 1)) && text.length > max ? max - 1 : max);
}
