import { hash } from 'node:crypto';
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import type { Embed, Vector } from './rank.ts';

/** So many texts a request: a small machine answers each within its time. */
const BATCH = 32;
/** What one file may take; past it, it is begun anew. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The largest number of a vector as it is kept: one byte is enough to tell directions apart. */
const UNIT = 127;

const FILE = /^vectors-.*\.jsonl$/;

/** Where the numbers of one model are kept. */
export function vectorFile(folder: string, model: string): string {
  return path.join(folder, `vectors-${model.replaceAll(/[^\w.-]/g, '_')}.jsonl`);
}

/** Whether any model has ever made numbers here: without them there is no need to look for one in a hurry. */
export function hasVectors(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => FILE.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** `bytes` are the numbers in base64: a tenth of the time to read that they would take written out. */
type Line = { key: string; bytes: string };

/** Numbers of texts, kept in a file: a text is looked at by the model once. */
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

  /** What is known already, without asking anybody. */
  peek(texts: readonly string[]): (Vector | null)[] {
    const known = this.#load();
    return texts.map((text) => {
      const bytes = known.get(keyOf(text));
      return bytes === undefined ? null : fromBytes(bytes);
    });
  }

  /** Not kept: a question is asked once. */
  async query(text: string, signal: AbortSignal): Promise<Vector | null> {
    return (await this.#embed([text], signal))?.[0] ?? null;
  }

  /** Learns the numbers of texts that are not known, until all are or the signal says stop. */
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

  /** What was kept before goes when there is no room for both: whatever of it is wanted again is learnt again. */
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

/** A view of what was decoded, no copy of it. */
function fromBytes(bytes: string): Vector {
  const { buffer, byteOffset, length } = Buffer.from(bytes, 'base64');
  return new Int8Array(buffer, byteOffset, length);
}

function isLine(value: unknown): value is Line {
  const { key, bytes } = (value ?? {}) as Partial<Line>;
  return typeof key === 'string' && typeof bytes === 'string';
}
