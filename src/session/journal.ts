import { closeSync, fdatasync, fdatasyncSync, fstatSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Permission } from '../contract/permission.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { openToAppend } from '../lib/files/regular-file.ts';
import type { JournalRecord } from './records.ts';

export type JournalOptions = {
  /** Marks grants as written by this program. */
  seal?(permission: Permission): string;
  /** Called before each write: throws when this process may no longer write. */
  check?(): void;
};

/** Maximum delay of a sync that no caller waits for. */
const SOON_MS = 25;

/**
 * An append-only file, created with the first record. A record is a short line, written synchronously: a
 * thread switch would take longer than the write, and the loop waits for it anyway. Written data survives the
 * end of the process; synced data also survives a crash of the machine.
 */
export class Journal {
  readonly file: string;
  readonly #options: JournalOptions;
  #descriptor: number | undefined;
  #synced = true;
  /** A sync in progress on another thread. */
  #underway: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  /** Why that one failed, reported by the next write. */
  #trouble: Error | undefined;
  /** Records not written yet, oldest first. */
  readonly #waiting: Buffer[] = [];

  constructor(file: string, options: JournalOptions = {}) {
    this.file = file;
    this.#options = options;
  }

  /** Rejects when the disk does; failed records are written before the next one that succeeds. */
  async append(...records: JournalRecord[]): Promise<void> {
    if (records.length > 0)
      this.#waiting.push(Buffer.from(records.map((record) => this.#lineOf(record)).join('')));
    this.#reportTrouble();
    for (let lines = this.#waiting[0]; lines; lines = this.#waiting[0]) {
      this.#write(lines);
      this.#waiting.shift();
    }
  }

  #lineOf(record: JournalRecord): string {
    const { seal } = this.#options;
    const sealed = record.type === 'grant' && seal ? { ...record, seal: seal(record.permission) } : record;
    return `${JSON.stringify(sealed)}\n`;
  }

  async sync(): Promise<void> {
    await this.#underway;
    this.#reportTrouble();
    if (this.#synced || this.#descriptor === undefined) return;
    fdatasyncSync(this.#descriptor);
    this.#synced = true;
  }

  /**
   * For callers that need not wait: starts after a short delay and covers all requests until then, because
   * even waking another thread takes time. A failure is reported by the next write or sync.
   */
  beginSync(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#beginSync();
    }, SOON_MS).unref();
  }

  #beginSync(): void {
    const descriptor = this.#descriptor;
    if (this.#synced || this.#underway || descriptor === undefined) return;
    this.#synced = true;
    this.#underway = new Promise((resolve) =>
      fdatasync(descriptor, (error) => {
        if (error) {
          this.#trouble = error;
          this.#synced = false;
        }
        this.#underway = undefined;
        resolve();
      }),
    );
  }

  async close(): Promise<void> {
    clearTimeout(this.#soon);
    try {
      await this.append();
      await this.sync();
    } finally {
      await this.#underway;
      this.#close();
    }
  }

  #reportTrouble(): void {
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble) throw trouble;
  }

  #write(lines: Buffer): void {
    this.#options.check?.();
    this.#descriptor ??= openForAppend(this.file);
    try {
      if (writeSync(this.#descriptor, lines) < lines.length)
        throw new Error('only part of the line was written to disk');
      this.#synced = false;
    } catch (error) {
      // Reopening terminates the torn line before anything follows it.
      this.#close();
      throw error;
    }
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    // Another thread may still use it, and its descriptor must not be reused for another file meanwhile.
    if (this.#underway) void this.#underway.then(() => closeSync(descriptor));
    else closeSync(descriptor);
  }
}

/** Terminates a line torn by a crash first, so that it damages only itself. */
export function openForAppend(file: string): number {
  makePrivateFolder(path.dirname(file));
  const descriptor = openToAppend(file);
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.from('\n');
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    if (last.toString() !== '\n') writeSync(descriptor, '\n');
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
