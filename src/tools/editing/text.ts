/** The lines of a text; a final newline ends the last line and begins none. CR alone ends lines where nothing else does. */
export function linesOf(text: string): string[] {
  const lines = text.split(text.includes('\n') ? /\r?\n/ : /\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function numbered(lines: readonly string[], skipped: number): string {
  return lines.map((line, i) => `${skipped + i + 1}\t${line}`).join('\n');
}
