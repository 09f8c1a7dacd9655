import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { crc32 } from 'node:zlib';
import { isPrivateFolder, makePrivateFolder } from './files/private-folder.ts';

const CHECKSUM_BYTES = 4;
const MAX_BYTES = 8 * 1024 * 1024;
const UNUSED_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Compiled code on disk, `{home}/{generation}/{name}`. Nothing here fails: what cannot be read is compiled again, and
 * what cannot be written is not kept. What is read is run, so a folder that others may write to is left alone.
 */
export class CodeStore {
  readonly #home: string;
  readonly #folder: string;
  #private: boolean | undefined;

  constructor(home: string, generation: string) {
    this.#home = home;
    this.#folder = path.join(home, generation);
  }

  read(name: string): Buffer | undefined {
    this.#private ??= isPrivateFolder(this.#folder);
    return this.#private ? attempt(() => unsealed(readFileSync(path.join(this.#folder, name)))) : undefined;
  }

  /** Each file is whole or absent, however many write at once. */
  write(files: ReadonlyMap<string, Buffer>): void {
    attempt(() => {
      makePrivateFolder(this.#folder);
      if (!isPrivateFolder(this.#folder)) return;
      for (const [name, data] of files) {
        if (data.length > MAX_BYTES) continue;
        const file = path.join(this.#folder, name);
        const temporary = `${file}.${process.pid}.tmp`;
        writeFileSync(temporary, sealed(data), { mode: 0o600 });
        renameSync(temporary, file);
      }
    });
  }

  /** Removes what nobody wrote for a week and `isCurrent` does not claim: other versions, other builds. */
  prune(isCurrent: (name: string) => boolean): void {
    const stale = (file: string) => Date.now() - lstatSync(file).mtimeMs > UNUSED_MS;
    const remove = (file: string) => attempt(() => stale(file) && rmSync(file, { recursive: true }));
    for (const name of namesIn(this.#home)) {
      const folder = path.join(this.#home, name);
      if (folder !== this.#folder) remove(folder);
    }
    for (const name of namesIn(this.#folder)) if (!isCurrent(name)) remove(path.join(this.#folder, name));
  }
}

/** The engine takes what it is given on trust, and a damaged file would end the process. */
function sealed(data: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(data));
  return Buffer.concat([data, checksum]);
}

function unsealed(content: Buffer): Buffer | undefined {
  const end = content.length - CHECKSUM_BYTES;
  if (end <= 0) return undefined;
  const data = content.subarray(0, end);
  return crc32(data) === content.readUInt32LE(end) ? data : undefined;
}

function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
