import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import { sha256 } from '../../lib/sha256.ts';
import { statIfAny } from './file-state.ts';

/** The position of a content in a pack. */
export type Place = { pack: string; offset: number; length: number };

type OpenPack = { name: string; data: number; index: number; end: number; isNew: boolean; isSynced: boolean };

const FLUSH_BYTES = 1024 * 1024;
/** A pack of this size is full: smaller packs can be removed individually. */
const PACK_BYTES = 64 * 1024 * 1024;
/** Its content changes whenever contents are removed. */
const GENERATION = 'generation';

type ObjectsOptions = {
  fresh?: boolean;
  places?: ReadonlyMap<string, Place>;
  withheld?: () => ReadonlySet<string>;
};

/**
 * Contents by SHA-256, each stored once for all sessions. They are concatenated in packs, each with an index
 * of lines `hash offset length`: one file per content would take ten times as long to write. Each process
 * writes to its own pack, so that several can work at once.
 */
export class Objects {
  readonly #folder: string;
  #places: Map<string, Place> | undefined;
  #generation: string | undefined;
  /** The packs written by this process. */
  readonly #own = new Set<string>();
  #pack: OpenPack | undefined;
  /** The packs that existed when the index was read. */
  #packsRead: string | undefined;
  #waiting: { hash: string; bytes: Uint8Array }[] = [];
  #waitingBytes = 0;

  readonly #withheld: () => ReadonlySet<string>;

  /**
   * `fresh`: store contents again even if they are stored elsewhere. `places`: known positions. `withheld`: contents that
   * never reached this machine.
   */
  constructor(folder: string, known: ObjectsOptions = {}) {
    this.#folder = folder;
    this.#withheld = known.withheld ?? (() => new Set());
    if (known.fresh || known.places) this.#places = new Map(known.places);
  }

  /** The names of the packs written by this process. */
  get own(): ReadonlySet<string> {
    return this.#own;
  }

  /** Guaranteed to be stored only after `flush`. */
  put(bytes: Uint8Array): string {
    const hash = sha256(bytes);
    if (this.#known().has(hash)) return hash;
    // Its position is set when it is written; until then it must not be written twice.
    this.#known().set(hash, { pack: '', offset: 0, length: bytes.length });
    this.#waiting.push({ hash, bytes });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= FLUSH_BYTES) this.flush();
    return hash;
  }

  /** `durable`: synced to disk on return. */
  flush({ durable = false }: { durable?: boolean } = {}): void {
    if (this.#waiting.length > 0) this.#write();
    if (durable) this.#sync();
  }

  #sync(): void {
    if (!this.#pack || this.#pack.isSynced) return;
    fdatasyncSync(this.#pack.data);
    fdatasyncSync(this.#pack.index);
    // The name of a new pack must survive a machine crash, too.
    if (this.#pack.isNew) syncFolder(this.#folder);
    this.#pack.isSynced = true;
    this.#pack.isNew = false;
  }

  /** Null if it is missing or damaged: wrong content must never be restored. */
  get(hash: string): Buffer | null {
    if (hash === '') return Buffer.alloc(0);
    this.flush();
    const bytes = this.#read(hash);
    if (bytes !== null || !this.#isOutdated()) return bytes;
    this.#places = undefined;
    return this.#read(hash);
  }

  /** Whether an imported bundle left it out. */
  isWithheld(hash: string): boolean {
    return this.#withheld().has(hash);
  }

  /** Why `get` returned null. */
  lossOf(hash: string): string {
    return this.isWithheld(hash)
      ? 'its saved copy contains secrets and was left out of the imported bundle'
      : 'its saved copy is missing or damaged';
  }

  /**
   * Whether stored contents have been removed since, by another process or by this one. Then nothing counts
   * as stored, and `put` stores it again.
   */
  isPruned(): boolean {
    const generation = generationOf(this.#folder);
    const was = this.#generation;
    this.#generation = generation;
    if (was === undefined || was === generation) return false;
    this.close();
    this.#places = undefined;
    return true;
  }

  close(): void {
    this.flush();
    this.#closePack();
  }

  #closePack(): void {
    const pack = this.#pack;
    if (!pack) return;
    try {
      // A later sync sees only the pack that is open then.
      this.#sync();
    } finally {
      this.#pack = undefined;
      closeSync(pack.data);
      closeSync(pack.index);
    }
  }

  #known(): Map<string, Place> {
    this.#generation ??= generationOf(this.#folder);
    if (!this.#places) {
      this.#packsRead = this.#packsNow();
      this.#places = placesIn(this.#folder);
    }
    return this.#places;
  }

  /** Another process may have stored or moved contents since. */
  #isOutdated(): boolean {
    return this.#packsRead !== this.#packsNow();
  }

  #packsNow(): string {
    return packsIn(this.#folder)
      .map((pack) => `${pack} ${statIfAny(path.join(this.#folder, `${pack}.index`))?.size}`)
      .join();
  }

  #read(hash: string): Buffer | null {
    const place = this.#known().get(hash);
    if (!place) return null;
    const bytes = readPart(path.join(this.#folder, `${place.pack}.pack`), place);
    return bytes !== null && sha256(bytes) === hash ? bytes : null;
  }

  #write(): void {
    if (this.#pack && this.#pack.end >= PACK_BYTES) this.#closePack();
    this.#pack ??= openPack(this.#folder);
    const pack = this.#pack;
    this.#own.add(pack.name);
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    pack.isSynced = false;
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
      // It is unknown how much was written: do not write to this pack again.
      for (const { hash } of waiting) this.#known().delete(hash);
      this.#pack = undefined;
      closeSync(pack.data);
      closeSync(pack.index);
      throw error;
    }
  }
}

/** All contents in a folder of packs. */
function placesIn(folder: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const pack of packsIn(folder))
    for (const [hash, place] of placesInPack(folder, pack)) places.set(hash, place);
  return places;
}

/** Skips a line torn by a crash. A pack that was just removed is empty. */
export function placesInPack(folder: string, pack: string): [hash: string, place: Place][] {
  const places: [string, Place][] = [];
  for (const line of indexText(folder, pack).split('\n')) {
    const [hash = '', offset = '', length = ''] = line.split(' ');
    if (hash.length === 64 && length !== '')
      places.push([hash, { pack, offset: Number(offset), length: Number(length) }]);
  }
  return places;
}

function indexText(folder: string, pack: string): string {
  return unlessErrno(['ENOENT'], '', () => readFileSync(path.join(folder, `${pack}.index`), 'latin1'));
}

/** Call after removing contents: notifies processes that rely on them. */
export function bumpGeneration(folder: string): void {
  writeFileSync(path.join(folder, GENERATION), randomUUID(), { mode: 0o600 });
}

function generationOf(folder: string): string {
  return unlessErrno(['ENOENT', 'ENOTDIR'], '', () => readFileSync(path.join(folder, GENERATION), 'latin1'));
}

export function packsIn(folder: string): string[] {
  return unlessErrno(['ENOENT'], [], () =>
    readdirSync(folder).flatMap((name) => (name.endsWith('.index') ? [name.slice(0, -6)] : [])),
  );
}

function openPack(folder: string): OpenPack {
  makeFolder(folder, 0o700);
  const name = randomUUID();
  const open = (kind: string) => openSync(path.join(folder, `${name}.${kind}`), 'wx', 0o600);
  return { name, data: open('pack'), index: open('index'), end: 0, isNew: true, isSynced: true };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

function readPart(file: string, { offset, length }: Place): Buffer | null {
  const bytes = Buffer.alloc(length);
  return unlessErrno(['ENOENT'], null, () => {
    const descriptor = openSync(file, 'r');
    try {
      return readSync(descriptor, bytes, 0, length, offset) === length ? bytes : null;
    } finally {
      closeSync(descriptor);
    }
  });
}
