import type { Readable } from 'node:stream';

/** All text that a stream holds. Since Node 26, `read` returns one chunk at a time. */
export function writtenTo(stream: Readable): string {
  let text = '';
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  return text;
}
