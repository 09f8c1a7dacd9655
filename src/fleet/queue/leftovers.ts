import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { unlessErrno } from '../../lib/files/errno.ts';
import { type Lock, lockFile, removeAbandoned, tryLock } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { replaceFile } from '../../lib/files/replace-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { parseJson } from '../../lib/text/json.ts';
import { removeUnused, restOf } from '../../sandbox/worktrees/remove.ts';
import { isOpen } from '../task.ts';
import { type Fleet, fleetKeys, withoutPassword } from './fleet.ts';
import { openResult } from './messages.ts';

/**
 * What workers have on this disk for a batch, or for one task of it. It is written before the first of it is
 * created, so that the next worker finds what one that was killed has left.
 */
const recordSchema = z.object({
  batch: z.string(),
  /** Null for the fetched repositories, which all tasks of a batch share. */
  job: z.string().nullable(),
  worktrees: z.array(z.string()),
  clones: z.string().nullable(),
});

export type DiskRecord = z.infer<typeof recordSchema>;

/** The folders of all workers on this machine that use the same queue and data root. */
export class WorkerFolders {
  readonly #fleet: Fleet;
  readonly #records: string;
  readonly #workers: string;

  constructor(root: string, fleet: Fleet) {
    const own = path.join(root, 'fleet', sha256(withoutPassword(fleet.url)).slice(0, 16));
    this.#fleet = fleet;
    this.#records = path.join(own, 'records');
    this.#workers = path.join(own, 'workers');
  }

  /** A private folder for a worker; `release` removes it. */
  async claim(worker: string): Promise<{ folder: string; release(): void }> {
    const folder = path.join(this.#workers, worker);
    const lock = await lockFile(folder);
    if (!lock) throw new Error(`${folder} is in use.`);
    makePrivateFolder(folder);
    return { folder, release: () => removeLocked(folder, lock) };
  }

  note(name: string, record: DiskRecord): void {
    // All tasks of a batch note its repositories.
    if (JSON.stringify(this.#read(name)) === JSON.stringify(record)) return;
    makePrivateFolder(this.#records);
    replaceFile(this.#fileOf(name), Buffer.from(JSON.stringify(record)), 0o600);
  }

  /** Unless something of it is still there. */
  forget(name: string): void {
    const record = this.#read(name);
    if (record && !pathsOf(record).some((place) => existsSync(place)))
      rmSync(this.#fileOf(name), { force: true });
  }

  /** From now on it belongs to the user. */
  handOver(name: string): void {
    rmSync(this.#fileOf(name), { force: true });
  }

  /** Removes what belongs neither to a process that runs nor to a task that can go on. `trees` itself stays. */
  async clean(trees?: string): Promise<void> {
    for (const name of namesIn(this.#workers)) {
      const folder = path.join(this.#workers, name);
      const lock = name.includes('.lock') ? null : tryLock(folder);
      if (lock) removeLocked(folder, lock);
    }
    removeAbandoned(this.#workers);
    for (const file of namesIn(this.#records)) {
      const name = path.basename(file, '.json');
      const record = this.#read(name);
      if (!record || !(await this.#isOver(record))) continue;
      for (const at of record.worktrees) await removeUnused(at);
      if (record.clones !== null) rmSync(record.clones, { recursive: true, force: true });
      for (const parent of new Set(pathsOf(record).map((place) => path.dirname(place))))
        if (parent !== trees) unlessErrno('any', null, () => rmdirSync(parent));
      this.forget(name);
    }
  }

  /** A task whose result is open, for example at the end of the budget, goes on in its worktree. */
  async #isOver({ batch, job }: DiskRecord): Promise<boolean> {
    const { redis } = this.#fleet;
    if ((await redis.hexists(fleetKeys.batches, batch)) === 0) return true;
    const sealed = job === null ? null : await redis.hget(fleetKeys.batch(batch).results, job);
    const result = job === null || sealed === null ? null : openResult(this.#fleet, job, sealed);
    return result !== null && !isOpen(result);
  }

  #read(name: string): DiskRecord | null {
    const text = unlessErrno(['ENOENT'], '', () => readRegularText(this.#fileOf(name)));
    return recordSchema.safeParse(parseJson(text)).data ?? null;
  }

  #fileOf(name: string): string {
    return path.join(this.#records, `${name}.json`);
  }
}

function pathsOf({ worktrees, clones }: DiskRecord): string[] {
  return [...worktrees, ...worktrees.map(restOf), ...(clones === null ? [] : [clones])];
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT'], [], () => readdirSync(folder));
}

/** The folder of a worker that has ended. */
function removeLocked(folder: string, lock: Lock): void {
  rmSync(folder, { recursive: true, force: true });
  lock.release();
}
