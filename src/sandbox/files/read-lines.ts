import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { LineRange, LineWindow } from '../../contract/tool.ts';
import { cutRest, LINE_START, type LinePart } from '../../lib/text/cut-line.ts';
import { detectEncoding } from '../../lib/text/text-encoding.ts';
import { readLater } from './open-file.ts';

const CHUNK_BYTES = 256 * 1024;
const LEAST_BYTES = 4096;

/** `size` is a hint that saves memory. */
export type LineSource = { fd: number; size?: number };

/**
 * Reads from the start to the end of the window and a little beyond. Holds one chunk of the file and the
 * window in memory; very long lines are cut.
 */
export async function readLines(file: LineSource, range: LineRange): Promise<Omit<LineWindow, 'path'>> {
  const hash = createHash('sha256');
  const window = new Window(range);
  let decoder: TextDecoder | undefined;
  for await (const bytes of chunksOf(file)) {
    hash.update(bytes);
    decoder ??= decoderFor(bytes);
    window.push(decoder.decode(bytes, { stream: true }));
    if (window.more) return { lines: window.lines, more: true, sha256: null };
  }
  window.push(decoder?.decode() ?? '');
  window.end();
  return { lines: window.lines, more: window.more, sha256: hash.digest('hex') };
}

/** Every chunk reuses the same memory. */
async function* chunksOf({ fd, size = CHUNK_BYTES }: LineSource): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(LEAST_BYTES, size + 1)));
  let position = 0;
  let isLong = false;
  for (;;) {
    // Reads the start and the end of a file synchronously; the middle must not block everything else.
    const count: number = isLong
      ? await readLater(fd, chunk, position)
      : readSync(fd, chunk, 0, chunk.length, position);
    if (count === 0) return;
    position += count;
    isLong = count === chunk.length;
    yield chunk.subarray(0, count);
  }
}

/** The first chunk determines the encoding; invalid bytes later become U+FFFD. */
function decoderFor(firstBytes: Uint8Array): TextDecoder {
  const encoding = detectEncoding(wholeCharacters(firstBytes));
  if (encoding === null) throw new Error('The file is binary, not text. Inspect it with a command.');
  return new TextDecoder(encoding === 'utf-8-bom' ? 'utf-8' : encoding);
}

/** The bytes up to the last line ending, or without a possibly incomplete character at the end. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return wholeUnits(bytes);
  const lineEnd = bytes.lastIndexOf(0x0a) + 1;
  if (lineEnd > 0) return bytes.subarray(0, lineEnd);
  let end = bytes.length;
  while (end > bytes.length - 4 && (bytes[end - 1] ?? 0) >= 0x80) end--;
  return bytes.subarray(0, end);
}

/** UTF-16: an even number of bytes that does not end with half a surrogate pair. */
function wholeUnits(bytes: Uint8Array): Uint8Array {
  const even = bytes.length & ~1;
  const highByte = bytes[bytes[0] === 0xff ? even - 1 : even - 2] ?? 0;
  const endsInHalf = highByte >= 0xd8 && highByte <= 0xdb;
  return bytes.subarray(0, endsInHalf ? even - 2 : even);
}

/** Receives a text in chunks and keeps the lines of a window. A final line ending does not start a line. */
class Window {
  readonly lines: string[] = [];
  more = false;
  private readonly offset: number;
  private readonly limit: number;
  private readonly part: LinePart;
  private lineEnd: '\n' | '\r' | undefined;
  private passed = 0;
  private pieces = 0;
  /** The current line: the first characters of the part that is shown, and its length so far. */
  private start = '';
  private length = 0;
  private endsInReturn = false;

  constructor({ offset, limit, part = LINE_START }: LineRange) {
    this.offset = offset;
    this.limit = limit;
    this.part = part;
  }

  push(text: string): void {
    if (text === '') return;
    this.pieces++;
    this.lineEnd ??= lineEndOf(text);
    let from = 0;
    for (let at = text.indexOf(this.lineEnd); at !== -1; at = text.indexOf(this.lineEnd, from)) {
      if (this.isFull()) return;
      this.extend(text, from, at);
      this.finish();
      from = at + 1;
    }
    if (from === text.length || this.isFull()) return;
    this.extend(text, from, text.length);
  }

  end(): void {
    if (this.length === 0) return;
    // A CR without an LF is an ordinary character.
    this.endsInReturn = false;
    this.finish();
  }

  /** Called only when there is more text, so it also detects that the file continues. */
  private isFull(): boolean {
    this.more = this.lines.length === this.limit;
    return this.more;
  }

  private extend(text: string, from: number, to: number): void {
    if (from === to) return;
    const first = from + Math.max(0, this.part.skip - this.length);
    this.length += to - from;
    this.endsInReturn = text.charCodeAt(to - 1) === 0x0d;
    const room = this.part.width + 1 - this.start.length;
    if (this.passed >= this.offset && room > 0 && first < to)
      this.start += text.slice(first, Math.min(to, first + room));
  }

  private finish(): void {
    const length = this.endsInReturn ? this.length - 1 : this.length;
    if (this.passed++ >= this.offset) {
      const shown = this.start.slice(0, Math.max(0, length - this.part.skip));
      this.lines.push(this.own(cutRest(shown, length, this.part)));
    }
    this.start = '';
    this.length = 0;
    this.endsInReturn = false;
  }

  /** A substring keeps its whole source string in memory: copy it, so that not every line retains a chunk. */
  private own(line: string): string {
    return this.pieces > 1 ? Buffer.from(line, 'utf16le').toString('utf16le') : line;
  }
}

/** If a text starts with lines that end in a lone CR, all of its lines do. */
function lineEndOf(text: string): '\n' | '\r' {
  const at = text.indexOf('\r');
  return at !== -1 && at < text.length - 1 && !text.includes('\n') ? '\r' : '\n';
}
