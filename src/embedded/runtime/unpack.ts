import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { makeFolder } from '../../lib/files/make-folder.ts';

const BLOCK = 512;
const FILE_TYPES = new Set(['0', '\0', '']);
/** The next entry's name is longer than its field: GNU and POSIX variants. */
const LONG_NAME_TYPES = new Set(['L', 'x']);
const LARGEST_NAME = 64 * 1024;

type Entry = { name: string; size: number; type: string; mode: number };

/**
 * Unpacks a package's archive into a folder, without the archive's top-level folder. Files only: links and
 * devices are skipped, nothing is executed, and no name leads out of the folder. `wanted` selects the files.
 */
export async function unpack(
  archive: string,
  folder: string,
  wanted: (name: string) => boolean = () => true,
): Promise<void> {
  const reader = new BlockReader(createReadStream(archive).pipe(createGunzip()));
  let longName: string | undefined;
  for (;;) {
    const head = await reader.take(BLOCK);
    if (!head || head.every((byte) => byte === 0)) return;
    const entry = entryOf(head);
    if (LONG_NAME_TYPES.has(entry.type)) {
      if (entry.size > LARGEST_NAME) throw new Error(`${path.basename(archive)} is damaged.`);
      longName = nameIn(await reader.exactly(padded(entry.size)), entry) ?? longName;
      continue;
    }
    const name = longName ?? entry.name;
    longName = undefined;
    const inner = name.replaceAll('\\', '/').split('/').slice(1).join('/');
    const target = path.resolve(folder, inner);
    const isInside = target.startsWith(path.resolve(folder) + path.sep);
    if (!FILE_TYPES.has(entry.type) || !isInside || !wanted(inner)) {
      await reader.skip(padded(entry.size));
      continue;
    }
    const content = (await reader.exactly(padded(entry.size))).subarray(0, entry.size);
    makeFolder(path.dirname(target));
    await writeFile(target, content, { mode: entry.mode & 0o111 ? 0o755 : 0o644 });
  }
}

function entryOf(head: Buffer): Entry {
  const text = (from: number, length: number) =>
    head
      .subarray(from, from + length)
      .toString('utf8')
      .replace(/\0.*$/s, '');
  const octal = (from: number, length: number) => Number.parseInt(text(from, length).trim() || '0', 8);
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  return {
    name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
    size: octal(124, 12),
    mode: octal(100, 8),
    type: text(156, 1),
  };
}

function nameIn(body: Buffer, { type, size }: Entry): string | undefined {
  const text = body.subarray(0, size).toString('utf8');
  if (type === 'L') return text.replace(/\0.*$/s, '');
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** Reads a stream in chunks of any requested size. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #length = 0;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Null at the end. */
  async take(size: number): Promise<Buffer | null> {
    while (this.#length < size) {
      const next = await this.#chunks.next();
      if (next.done) return null;
      this.#held.push(next.value);
      this.#length += next.value.length;
    }
    const all = this.#held.length === 1 ? (this.#held[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#held);
    this.#held = [all.subarray(size)];
    this.#length = all.length - size;
    return all.subarray(0, size);
  }

  async exactly(size: number): Promise<Buffer> {
    const found = await this.take(size);
    if (!found) throw new Error('The archive is incomplete.');
    return found;
  }

  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; left -= 1 << 20) await this.exactly(Math.min(left, 1 << 20));
  }
}
