import { hash } from 'node:crypto';
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import type { Embed, Vector } from './rank.ts';

/** Texts per request: a small machine answers each within its time limit. */
const BATCH = 32;
/** Maximum size of a file; beyond it, a new one is started. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The largest component of a stored vector: one byte is precise enough for directions. */
const UNIT = 127;

const FILE = /^vectors-.*\.jsonl$/;

/** The file with the vectors of one model. */
export function vectorFile(folder: string, model: string): string {
  return path.join(folder, `vectors-${model.replaceAll(/[^\w.-]/g, '_')}.jsonl`);
}

/** Whether any model has ever created vectors here: if not, there is no hurry to find one. */
export function hasVectors(folder: string): boolean {
  return unlessErrno(['ENOENT'], false, () => readdirSync(folder).some((name) => FILE.test(name)));
}

/** `bytes` is the vector in base64, which takes a tenth of the time to read that decimal numbers would. */
type Line = { key: string; bytes: string };

/** Vectors of texts, cached in a file: each text is embedded once. */
export class VectorCache {
  readonly #file: string;
  readonly #embed: Embed;
  readonly #maxBytes: number;
  #known: Map<string, string> | undefined;

  constructor({ file, embed, maxBytes = MAX_BYTES }: { file: string; embed: Embed; maxBytes?: number }) {
    this.#file = file;
    this.#embed = embed;
    this.#maxBytes = maxBytes;
  }

  /** What is already cached, without a request. */
  peek(texts: readonly string[]): (Vector | null)[] {
    const known = this.#load();
    return texts.map((text) => {
      const bytes = known.get(keyOf(text));
      return bytes === undefined ? null : fromBytes(bytes);
    });
  }

  /** Not cached: queries rarely repeat. */
  async query(text: string, signal: AbortSignal): Promise<Vector | null> {
    return (await this.#embed([text], signal))?.[0] ?? null;
  }

  /** Embeds unknown texts, until all are done or the signal is aborted. */
  async learn(texts: readonly string[], signal: AbortSignal): Promise<void> {
    const known = this.#load();
    const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)));
    for (let at = 0; at < missing.length && !signal.aborted; at += BATCH) {
      const batch = missing.slice(at, at + BATCH);
      const vectors = await this.#embed(batch, signal);
      if (!vectors) return;
      const lines = batch.flatMap((text, i): Line[] => {
        const vector = vectors[i];
        return vector ? [{ key: keyOf(text), bytes: toBytes(vector) }] : [];
      });
      for (const { key, bytes } of lines) known.set(key, bytes);
      this.#keep(toJsonLines(lines));
    }
  }

  /** Drops earlier content if there is no space for both: it is embedded again on demand. */
  #keep(lines: string): void {
    makePrivateFolder(path.dirname(this.#file));
    const taken = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    const write = taken + lines.length > this.#maxBytes ? writeFileSync : appendFileSync;
    write(this.#file, lines, { mode: 0o600 });
  }

  #load(): Map<string, string> {
    this.#known ??= new Map(
      readJsonLines(this.#file)
        .filter(isLine)
        .map(({ key, bytes }) => [key, bytes]),
    );
    return this.#known;
  }
}

function keyOf(text: string): string {
  return hash('sha1', text, 'hex').slice(0, 16);
}

function toBytes(vector: readonly number[]): string {
  const largest = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0) || 1;
  const bytes = Int8Array.from(vector, (number) => Math.round((number / largest) * UNIT));
  return Buffer.from(bytes.buffer).toString('base64');
}

/** A view of the decoded bytes, not a copy. */
function fromBytes(bytes: string): Vector {
  const { buffer, byteOffset, length } = Buffer.from(bytes, 'base64');
  return new Int8Array(buffer, byteOffset, length);
}

function isLine(value: unknown): value is Line {
  const { key, bytes } = (value ?? {}) as Partial<Line>;
  return typeof key === 'string' && typeof bytes === 'string';
}
