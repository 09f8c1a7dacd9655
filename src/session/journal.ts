import { closeSync, fdatasync, fdatasyncSync, fstatSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Permission } from '../contract/permission.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { openToAppend } from '../lib/files/regular-file.ts';
import type { JournalRecord } from './records.ts';

export type JournalOptions = {
  /** Marks grants as written by this program. */
  seal?(permission: Permission): string;
  /** Asked before each write: throws when this process may not write any more. */
  check?(): void;
};

/** How long a sync nobody waits for may be put off. */
const SOON_MS = 25;

/**
 * An append-only file, made at the first record. A record is a short line, written at once: handing it to another
 * thread and back would take longer than the write, and the loop waits for it anyway. What is written survives the
 * end of the process, however it ends; after a sync it survives that of the machine, too.
 */
export class Journal {
  readonly file: string;
  readonly #options: JournalOptions;
  #descriptor: number | undefined;
  #synced = true;
  /** A sync that another thread is at. */
  #underway: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  /** Why that one failed, for the next who writes. */
  #trouble: Error | undefined;
  /** What the disk has refused so far, the oldest first. */
  readonly #waiting: Buffer[] = [];

  constructor(file: string, options: JournalOptions = {}) {
    this.file = file;
    this.#options = options;
  }

  /** Rejects when the disk does; what it refused is written before the next record that it takes. */
  async append(...records: JournalRecord[]): Promise<void> {
    if (records.length > 0)
      this.#waiting.push(Buffer.from(records.map((record) => this.#lineOf(record)).join('')));
    this.#tellTrouble();
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
    this.#tellTrouble();
    if (this.#synced || this.#descriptor === undefined) return;
    fdatasyncSync(this.#descriptor);
    this.#synced = true;
  }

  /**
   * For whoever need not wait for it: begun a moment later, for all that is asked until then, because even to wake another
   * thread takes its time. A failure is told to the next who writes or syncs.
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

  #tellTrouble(): void {
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble) throw trouble;
  }

  #write(lines: Buffer): void {
    this.#options.check?.();
    this.#descriptor ??= openForAppend(this.file);
    try {
      if (writeSync(this.#descriptor, lines) < lines.length)
        throw new Error('the disk took only a part of the line');
      this.#synced = false;
    } catch (error) {
      // Opened anew, the file has the torn line closed before anything follows it.
      this.#close();
      throw error;
    }
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor === undefined) return;
    // Another thread may still be at it, and its number must not become another file's meanwhile.
    if (this.#underway) void this.#underway.then(() => closeSync(descriptor));
    else closeSync(descriptor);
  }
}

/** A line torn by a crash is closed first, so that it spoils no record but itself. */
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
