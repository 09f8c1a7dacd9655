import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Quota } from '../../contract/quota.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { lockFile } from '../../lib/files/lock.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { parseJson } from '../../lib/text/json.ts';
import { type Taken, waitFor } from './quota-window.ts';

export type LocalQuotaOptions = {
  /** Shared by all processes of the user: a small file per key. */
  folder: string;
  /** Called once if the folder cannot be written: from then on this process counts alone. */
  onTrouble(message: string): void;
  now?: () => number;
};

/** Counts the requests of all processes of one user on this machine. */
export function createLocalQuota({ folder, onTrouble, now = Date.now }: LocalQuotaOptions): Quota {
  const own = new Map<string, Taken[]>();
  let troubled = false;

  /** Null on failure, which is reported once. */
  async function attempt<T>(work: () => T): Promise<Awaited<T> | null> {
    if (troubled) return null;
    try {
      return await work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      troubled = true;
      onTrouble(`Quotas apply to this process only: cannot save usage (${(error as Error).message}).`);
      return null;
    }
  }

  return {
    async take(key, asked, signal) {
      const file = path.join(folder, `${sha256(key).slice(0, 32)}.json`);
      const lock = await attempt(() => lockFile(file, { maxWaitMs: Infinity, signal }));
      try {
        const at = now();
        const taken = troubled ? (own.get(key) ?? []) : readTaken(file);
        const { waitMs, counting } = waitFor(taken, asked, at);
        if (waitMs > 0) return waitMs;
        counting.push({ at, ...asked.cost });
        own.set(key, counting);
        await attempt(() => replaceFile(file, JSON.stringify(counting)));
        return 0;
      } finally {
        lock?.release();
      }
    },
  };
}

/** Not synced: by the time the machine is up again, the minute has passed. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A missing or damaged file counts nothing; it is rewritten. */
function readTaken(file: string): Taken[] {
  const taken = parseJson(unlessErrno('any', '', () => readRegularText(file)));
  return Array.isArray(taken) ? taken.filter(isTaken) : [];
}

function isTaken(value: unknown): value is Taken {
  const { at, requests, tokens } = (value ?? {}) as Partial<Taken>;
  return [at, requests, tokens].every((number) => Number.isFinite(number));
}
