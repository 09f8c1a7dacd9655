import { closeSync, fdatasyncSync, fstatSync, readSync, writeSync } from 'node:fs';
import { openToAppend } from '../../lib/files/regular-file.ts';

/**
 * An append-only file of JSON lines. What `append` has written survives a crash of the machine. A line that was
 * cut off, by a crash or a full disk, spoils no other.
 */
export class AppendLog {
  readonly #file: string;
  readonly #descriptor: number;
  #isCut: boolean;

  constructor(file: string) {
    this.#file = file;
    this.#descriptor = openToAppend(file);
    this.#isCut = !endsWithNewline(this.#descriptor);
  }

  append(value: unknown): void {
    const line = Buffer.from(`${this.#isCut ? '\n' : ''}${JSON.stringify(value)}\n`);
    this.#isCut = true;
    try {
      for (let at = 0; at < line.length; ) at += writeSync(this.#descriptor, line, at);
      fdatasyncSync(this.#descriptor);
    } catch (error) {
      // The system names no file where it knows only the descriptor.
      throw Object.assign(error as NodeJS.ErrnoException, { path: this.#file });
    }
    this.#isCut = false;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function endsWithNewline(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}
