import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { sha256 } from '../lib/sha256.ts';
import type { Fit } from './models/fit.ts';
import type { GgufFacts } from './models/gguf.ts';
import { RUNTIME_VERSION } from './runtime/runtime-version.ts';

const MOST_BYTES = 1024 ** 3;
const MOST_FILES = 12;
const NAME = /^[0-9a-f]{40}\.state$/;

/** The file for the state of a prompt prefix: specific to this model file, runtime version and window. */
export function stateFile(
  folder: string,
  { facts, fit, prefix }: { facts: GgufFacts; fit: Fit; prefix: string },
): string {
  const { file, bytes, modified } = facts;
  const key = JSON.stringify([RUNTIME_VERSION, file, bytes, modified, fit.contextSize, prefix]);
  return path.join(folder, `${sha256(key).slice(0, 40)}.state`);
}

/** Deletes the least recently used ones, and incomplete files. */
export async function pruneStates(folder: string): Promise<void> {
  makePrivateFolder(folder);
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const file = path.join(folder, name);
      const { size, mtimeMs } = await stat(file).catch(() => ({ size: 0, mtimeMs: 0 }));
      return { file, size, mtimeMs, known: NAME.test(name) };
    }),
  );
  let bytes = 0;
  let count = 0;
  for (const { file, size, known, mtimeMs } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    count++;
    const isLeftOver = !known && Date.now() - mtimeMs > 60 * 60 * 1000;
    if (bytes > MOST_BYTES || count > MOST_FILES || isLeftOver) await rm(file, { force: true });
  }
}
