import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines, toJsonLines } from '../lib/json-lines.ts';
import type { Embed } from './rank.ts';

/** So many texts a request: a small machine answers each within its time. */
const BATCH = 32;
const DIGITS = 1e4;

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

type Line = { key: string; vector: number[] };

/** Numbers of texts, kept in a file: a text is looked at by the model once. */
export class VectorCache {
  readonly #file: string;
  readonly #embed: Embed;
  #known: Map<string, readonly number[]> | undefined;

  constructor({ file, embed }: { file: string; embed: Embed }) {
    this.#file = file;
    this.#embed = embed;
  }

  /** What is known already, without asking anybody. */
  peek(texts: readonly string[]): (readonly number[] | null)[] {
    const known = this.#load();
    return texts.map((text) => known.get(keyOf(text)) ?? null);
  }

  /** Not kept: a question is asked once. */
  async query(text: string, signal: AbortSignal): Promise<readonly number[] | null> {
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
        return vector ? [{ key: keyOf(text), vector: vector.map(rounded) }] : [];
      });
      for (const { key, vector } of lines) known.set(key, vector);
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, toJsonLines(lines), { mode: 0o600 });
    }
  }

  #load(): Map<string, readonly number[]> {
    this.#known ??= new Map(
      readJsonLines(this.#file)
        .filter(isLine)
        .map(({ key, vector }) => [key, vector]),
    );
    return this.#known;
  }
}

function keyOf(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 16);
}

function rounded(number: number): number {
  return Math.round(number * DIGITS) / DIGITS;
}

function isLine(value: unknown): value is Line {
  const { key, vector } = (value ?? {}) as Partial<Line>;
  return (
    typeof key === 'string' && Array.isArray(vector) && vector.every((number) => typeof number === 'number')
  );
}
