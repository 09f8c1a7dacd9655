import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../lib/sha256.ts';

/** Where in which pack a content lies. */
export type Place = { pack: string; offset: number; length: number };

type OpenPack = { name: string; data: number; index: number; end: number };

const FLUSH_BYTES = 1024 * 1024;

/**
 * Contents by their SHA-256, each kept once however many sessions need it. They lie one behind the other in packs,
 * each with an index of lines `hash offset length`: a file for every content would take ten times as long to write.
 * A process writes to a pack of its own, so that several can work at once.
 */
export class Objects {
  readonly #folder: string;
  #places: Map<string, Place> | undefined;
  /** The packs those places are in. */
  #packs = new Set<string>();
  #pack: OpenPack | undefined;
  #waiting: { hash: string; bytes: Uint8Array }[] = [];
  #waitingBytes = 0;

  /** `anew`: contents that are kept elsewhere are kept again. */
  constructor(folder: string, { anew = false }: { anew?: boolean } = {}) {
    this.#folder = folder;
    if (anew) this.#places = new Map();
  }

  /** Kept for sure only after `flush`. */
  put(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    if (this.#known().has(hash)) return hash;
    // Its place is told when it is written; until then it must not be written twice.
    this.#known().set(hash, { pack: '', offset: 0, length: bytes.length });
    this.#waiting.push({ hash, bytes });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= FLUSH_BYTES) this.flush();
    return hash;
  }

  /** `durable`: on the disk, not only on its way there, when this returns. */
  flush({ durable = false }: { durable?: boolean } = {}): void {
    if (this.#waiting.length > 0) this.#write();
    if (!durable || !this.#pack) return;
    fdatasyncSync(this.#pack.data);
    fdatasyncSync(this.#pack.index);
  }

  /** Null when it is gone or spoilt: a wrong content must never be put back. */
  get(hash: string): Buffer | null {
    if (hash === '') return Buffer.alloc(0);
    this.flush();
    const bytes = this.#read(hash);
    if (bytes !== null) return bytes;
    // Somebody else may have kept it since, or moved it.
    this.#places = undefined;
    return this.#read(hash);
  }

  /**
   * Whether contents that were known to be kept have been removed since, by another process or by this one. Then
   * nothing is known any more, and what is put is kept again.
   */
  isPruned(): boolean {
    if (!this.#places) return false;
    const packs = new Set(packsIn(this.#folder));
    if ([...this.#packs].every((name) => packs.has(name))) return false;
    this.flush();
    this.#closePack();
    this.#places = undefined;
    return true;
  }

  close(): void {
    this.flush();
    this.#closePack();
  }

  #closePack(): void {
    if (!this.#pack) return;
    closeSync(this.#pack.data);
    closeSync(this.#pack.index);
    this.#pack = undefined;
  }

  #known(): Map<string, Place> {
    if (!this.#places) {
      this.#packs = new Set(packsIn(this.#folder));
      this.#places = placesIn(this.#folder);
    }
    return this.#places;
  }

  #read(hash: string): Buffer | null {
    const place = this.#known().get(hash);
    if (!place) return null;
    const bytes = readPart(path.join(this.#folder, `${place.pack}.pack`), place);
    return bytes !== null && sha256(bytes) === hash ? bytes : null;
  }

  #write(): void {
    this.#pack ??= openPack(this.#folder);
    const pack = this.#pack;
    this.#packs.add(pack.name);
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    let lines = '';
    const data = Buffer.concat(waiting.map(({ bytes }) => bytes));
    try {
      writeAll(pack.data, data);
      let offset = pack.end;
      for (const { hash, bytes } of waiting) {
        lines += `${hash} ${offset} ${bytes.length}\n`;
        this.#known().set(hash, { pack: pack.name, offset, length: bytes.length });
        offset += bytes.length;
      }
      writeAll(pack.index, Buffer.from(lines));
      pack.end = offset;
    } catch (error) {
      // Nobody knows how much of it was written: this pack is not written to again.
      for (const { hash } of waiting) this.#known().delete(hash);
      this.#pack = undefined;
      closeSync(pack.data);
      closeSync(pack.index);
      throw error;
    }
  }
}

/** All contents in a folder of packs. A line torn by a crash is passed over. */
export function placesIn(folder: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const name of packsIn(folder)) {
    for (const line of readFileSync(path.join(folder, `${name}.index`), 'latin1').split('\n')) {
      const [hash = '', offset = '', length = ''] = line.split(' ');
      if (hash.length === 64 && length !== '')
        places.set(hash, { pack: name, offset: Number(offset), length: Number(length) });
    }
  }
  return places;
}

export function packsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.index') ? [name.slice(0, -6)] : []));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function openPack(folder: string): OpenPack {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = randomUUID();
  const open = (kind: string) => openSync(path.join(folder, `${name}.${kind}`), 'wx', 0o600);
  return { name, data: open('pack'), index: open('index'), end: 0 };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

function readPart(file: string, { offset, length }: Place): Buffer | null {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return readSync(descriptor, bytes, 0, length, offset) === length ? bytes : null;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
