import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { sha256 } from '../lib/sha256.ts';
import type { Tier, TierKey } from './tier.ts';

export type FileTierOptions = { folder: string; maxFiles?: number; onTrouble(text: string): void };

const MOST_FILES = 2_000;
/** Counting a folder takes time, so it is done only after this many new files. */
const COUNT_EVERY = 100;

/**
 * Values as files, one each, shared by all processes of the user. The first line of a file is the checksum of
 * the rest, its mtime is when it expires; damaged and expired files are ignored.
 */
export function createFileTier({ folder, maxFiles = MOST_FILES, onTrouble }: FileTierOptions): Tier {
  const fileOf = ({ kind, name }: TierKey) => path.join(folder, kind, name);
  let added = 0;
  let reported = false;

  function trouble(error: unknown): null {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === '') throw error;
    if (code !== 'ENOENT' && !reported) {
      reported = true;
      onTrouble(`Cannot cache in ${folder}: ${message}. Check the folder; everything else still works.`);
    }
    return null;
  }

  async function look(file: string): Promise<string | null> {
    const text = readRegularText(file);
    const { mtimeMs } = await stat(file);
    const end = text.indexOf('\n');
    const rest = text.slice(end + 1);
    if (mtimeMs > Date.now() && sha256(rest) === text.slice(0, end)) return rest;
    await rm(file, { force: true });
    return null;
  }

  /** Those that expire first are removed first. */
  async function prune(kind: string): Promise<void> {
    const names = await readdir(path.join(folder, kind));
    if (names.length <= maxFiles) return;
    const ends = await Promise.all(
      names.map(async (name) => {
        const file = path.join(folder, kind, name);
        return { file, until: (await stat(file).catch(trouble))?.mtimeMs ?? 0 };
      }),
    );
    ends.sort((a, b) => a.until - b.until);
    const over = ends.slice(0, names.length - Math.floor(maxFiles * 0.9));
    await Promise.all(over.map(({ file }) => rm(file, { force: true })));
  }

  return {
    get: (key) => look(fileOf(key)).catch(trouble),
    async set(key, text, ttlMs) {
      try {
        const file = fileOf(key);
        const until = (Date.now() + ttlMs) / 1000;
        makePrivateFolder(path.dirname(file));
        // Not synced: after a crash the checksum detects incomplete files.
        const fresh = `${file}.${randomUUID()}`;
        await writeFile(fresh, `${sha256(text)}\n${text}`, { mode: 0o600 });
        await utimes(fresh, until, until);
        await rename(fresh, file);
        added++;
        if (added % COUNT_EVERY === 1) await prune(key.kind);
      } catch (error) {
        trouble(error);
      }
    },
    close: async () => undefined,
  };
}
