import { StringDecoder } from 'node:string_decoder';
import { parseObject } from '../../lib/text/json.ts';

/** Longer than any legitimate message. */
const MAX_LINE = 16 * 1024 * 1024;
const WINDOW_MS = 5_000;
const MAX_LINES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Consecutive lines without a message: some programs print a banner, none prints only banners. */
const MAX_GARBAGE = 1_000;

export type LineReader = {
  /** Null, or why reading must end. */
  push(chunk: Buffer): string | null;
  /** The last line that was not a message. */
  garbage(): string;
};

/**
 * Reads messages from a stream of lines; skips anything that is not a JSON object. Ends reading on a flood.
 */
export function createLineReader(
  onMessage: (message: object) => void,
  now: () => number = () => performance.now(),
): LineReader {
  let decoder = new StringDecoder('utf8');
  let pieces: string[] = [];
  let length = 0;
  let garbage = '';
  let garbageInRow = 0;
  let windowStart = now();
  let lines = 0;
  let bytes = 0;

  function take(line: string): void {
    const text = line.trim();
    if (text === '') return;
    const message = parseObject(text);
    if (message) {
      garbageInRow = 0;
      onMessage(message);
    } else {
      garbageInRow++;
      garbage = text.slice(0, 200);
    }
  }

  return {
    garbage: () => garbage,
    push(chunk) {
      if (now() - windowStart > WINDOW_MS) {
        windowStart = now();
        lines = 0;
        bytes = 0;
      }
      bytes += chunk.length;
      const parts = decoder.write(chunk).split('\n');
      for (const [i, part] of parts.entries()) {
        pieces.push(part);
        length += part.length;
        if (length > MAX_LINE) {
          decoder = new StringDecoder('utf8');
          return `it sent a line longer than ${MAX_LINE / 1024 / 1024} MB`;
        }
        if (i === parts.length - 1) break;
        const line = pieces.join('');
        pieces = [];
        length = 0;
        lines++;
        take(line);
        if (garbageInRow > MAX_GARBAGE) return `it printed something that is not a message: ${garbage}`;
        if (lines > MAX_LINES)
          return `it sent more than ${MAX_LINES} messages in ${WINDOW_MS / 1000} seconds`;
      }
      if (bytes > MAX_BYTES)
        return `it sent more than ${MAX_BYTES / 1024 / 1024} MB in ${WINDOW_MS / 1000} seconds`;
      return null;
    },
  };
}
