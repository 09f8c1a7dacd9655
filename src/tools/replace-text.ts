/** Byte ranges `[start, end)` of a file. */
export type Range = { start: number; end: number };

/**
 * Where a text stands in a file, line endings aside: `\n` in the needle stands for `\n` or `\r\n` in the file.
 * Ranges do not overlap and come in order.
 */
export function findText(bytes: Uint8Array, needle: string): Range[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!file.includes('\r\n')) return occurrences(file, Buffer.from(needle));

  const { plain, removedAt } = withoutCarriageReturns(file);
  const found = occurrences(plain, Buffer.from(needle.replaceAll('\r\n', '\n')));
  // A removed `\r` belongs to the newline after it: a range that begins with the newline takes it along.
  return found.map(({ start, end }) => ({
    start: start + countBelow(removedAt, start),
    end: end + countBelow(removedAt, end),
  }));
}

/** The file with each range replaced; the new text takes the line endings of the place it goes to. */
export function replaceRanges(bytes: Uint8Array, ranges: readonly Range[], text: string): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const withLf = Buffer.from(text);
  const withCrLf = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'));
  const pieces: Uint8Array[] = [];
  let kept = 0;
  for (const range of ranges) {
    pieces.push(file.subarray(kept, range.start), usesCrLf(file, range) ? withCrLf : withLf);
    kept = range.end;
  }
  return Buffer.concat([...pieces, file.subarray(kept)]);
}

/** 1-based. */
export function lineAt(bytes: Uint8Array, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line++;
  return line;
}

function occurrences(file: Buffer, needle: Buffer): Range[] {
  const found: Range[] = [];
  for (let at = file.indexOf(needle); at !== -1; at = file.indexOf(needle, at + needle.length)) {
    found.push({ start: at, end: at + needle.length });
  }
  return found;
}

/** `removedAt` holds, for each dropped `\r`, the place in `plain` of the newline that followed it. */
function withoutCarriageReturns(file: Buffer): { plain: Buffer; removedAt: number[] } {
  const pieces: Buffer[] = [];
  const removedAt: number[] = [];
  let kept = 0;
  for (let at = file.indexOf('\r\n'); at !== -1; at = file.indexOf('\r\n', at + 2)) {
    pieces.push(file.subarray(kept, at));
    removedAt.push(at - removedAt.length);
    kept = at + 1;
  }
  pieces.push(file.subarray(kept));
  return { plain: Buffer.concat(pieces), removedAt };
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ending of the first line that the range touches, or of the line before when the file ends there. */
function usesCrLf(file: Buffer, { start }: Range): boolean {
  const next = file.indexOf(0x0a, start);
  const newline = next === -1 ? file.lastIndexOf(0x0a, start) : next;
  return newline > 0 && file[newline - 1] === 0x0d;
}
