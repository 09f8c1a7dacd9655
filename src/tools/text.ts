/** NUL bytes near the start: not text in any encoding we show, UTF-16 included. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8192).includes(0);
}

/** Bytes as text, without a byte order mark; what is not UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes);
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The lines of a text; a final newline ends the last line and begins none. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function numbered(lines: readonly string[], skipped: number): string {
  return lines.map((line, i) => `${skipped + i + 1}\t${line}`).join('\n');
}
