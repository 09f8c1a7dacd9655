/** Keeps the start and the end of a byte stream, and counts the bytes dropped between them. */
export type Capture = { push(chunk: Buffer): void; text(): string };

export function createCapture(limit: number): Capture {
  const headLimit = Math.floor(limit / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  const tail = createRing(limit - headLimit);

  return {
    push(chunk) {
      const room = Math.min(headLimit - headBytes, chunk.length);
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headBytes += room;
      }
      if (room < chunk.length) tail.push(chunk.subarray(room));
    },
    text() {
      const first = Buffer.concat(head);
      const rest = tail.bytes();
      if (tail.taken() === rest.length) return Buffer.concat([first, rest]).toString('utf8');
      const last = wholeFromStart(rest);
      const begin = wholeToEnd(first);
      const left = headBytes + tail.taken() - begin.length - last.length;
      return `${begin.toString('utf8')}\n... [${left} bytes omitted] ...\n${last.toString('utf8')}`;
    },
  };
}

type Ring = { push(chunk: Buffer): void; taken(): number; bytes(): Buffer };

/** The last `size` bytes, as a ring buffer: concatenating and slicing would create much garbage. */
function createRing(size: number): Ring {
  let pieces: Buffer[] = [];
  let ring: Buffer | undefined;
  let taken = 0;

  function write(into: Buffer, chunk: Buffer): void {
    const kept = chunk.subarray(Math.max(0, chunk.length - size));
    const at = (taken + chunk.length - kept.length) % size;
    const copied = kept.copy(into, at);
    kept.copy(into, 0, copied);
    taken += chunk.length;
  }

  return {
    push(chunk) {
      if (ring) return write(ring, chunk);
      if (taken + chunk.length <= size) {
        pieces.push(chunk);
        taken += chunk.length;
        return;
      }
      const earlier = pieces;
      pieces = [];
      ring = Buffer.allocUnsafeSlow(size);
      taken = 0;
      for (const piece of [...earlier, chunk]) write(ring, piece);
    },
    taken: () => taken,
    bytes() {
      if (!ring) return Buffer.concat(pieces);
      const start = taken % size;
      return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
    },
  };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function wholeFromStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 4 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Drops a trailing incomplete character. */
function wholeToEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const byte = bytes[lead] ?? 0;
  const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  return bytes.length - lead < needed ? bytes.subarray(0, lead) : bytes;
}
