/** Keeps the beginning and the end of a stream of bytes, and counts what it dropped between them. */
export type Capture = { push(chunk: Buffer): void; text(): string };

export function createCapture(limit: number): Capture {
  const half = Math.floor(limit / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let dropped = 0;

  function keepTail(chunk: Buffer): void {
    tail.push(chunk);
    tailBytes += chunk.length;
    // Joined only when twice too long, so that many small chunks cost no more than a few large ones.
    if (tailBytes < 2 * half) return;
    const all = Buffer.concat(tail);
    const kept = Buffer.from(all.subarray(all.length - half));
    dropped += all.length - kept.length;
    tail = [kept];
    tailBytes = kept.length;
  }

  return {
    push(chunk) {
      const room = Math.min(half - headBytes, chunk.length);
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headBytes += room;
      }
      if (room < chunk.length) keepTail(chunk.subarray(room));
    },
    text() {
      const first = Buffer.concat(head);
      const rest = Buffer.concat(tail);
      if (dropped === 0 && headBytes + tailBytes <= limit)
        return Buffer.concat([first, rest]).toString('utf8');
      const last = wholeFromStart(rest.subarray(Math.max(0, rest.length - half)));
      const begin = wholeToEnd(first);
      const left = headBytes + tailBytes + dropped - begin.length - last.length;
      return `${begin.toString('utf8')}\n... [${left} bytes left out] ...\n${last.toString('utf8')}`;
    },
  };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function wholeFromStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 4 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Drops a character whose last bytes were cut off. */
function wholeToEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const byte = bytes[lead] ?? 0;
  const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  return bytes.length - lead < needed ? bytes.subarray(0, lead) : bytes;
}
