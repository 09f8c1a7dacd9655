import { readFileSync } from 'node:fs';
import { unlessErrno } from '../../../lib/files/errno.ts';
import { updateFile } from '../../../lib/files/file-update.ts';
import { isObject, parseJson } from '../../../lib/text/json.ts';

/** The sessions in which something runs, on the disk: those left there were interrupted by the end of the server. */
export class RunningSessions {
  readonly #file: string;
  readonly #interrupted: Set<string>;
  readonly #running = new Set<string>();
  #writing: Promise<void> = Promise.resolve();

  static read(file: string): RunningSessions {
    const text = unlessErrno(['ENOENT'], '', () => readFileSync(file, 'utf8'));
    const value = parseJson(text);
    const ids = isObject(value) && Array.isArray(value.sessions) ? value.sessions : [];
    return new RunningSessions(file, new Set(ids.map(String)));
  }

  private constructor(file: string, interrupted: Set<string>) {
    this.#file = file;
    this.#interrupted = interrupted;
  }

  wasInterrupted(id: string): boolean {
    return this.#interrupted.has(id);
  }

  began(id: string): void {
    this.#running.add(id);
    this.#interrupted.delete(id);
    this.#write();
  }

  ended(id: string): void {
    this.#running.delete(id);
    this.#interrupted.delete(id);
    this.#write();
  }

  /** Everything is on the disk. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #write(): void {
    this.#writing = this.#writing.then(() => {
      const sessions = [...this.#interrupted, ...this.#running];
      return updateFile(this.#file, (write) => write(`${JSON.stringify({ sessions })}\n`));
    });
  }
}
