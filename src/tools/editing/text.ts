/**
 * The lines of a text; a final newline ends the last line and does not start another. A lone CR ends lines if
 * there are no other line endings.
 */
export function linesOf(text: string): string[] {
  const lines = text.split(text.includes('\n') ? /\r?\n/ : /\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function numbered(lines: readonly string[], skipped: number): string {
  return lines.map((line, i) => `${skipped + i + 1}\t${line}`).join('\n');
}
