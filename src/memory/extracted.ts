import path from 'node:path';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { appendRegularText } from '../lib/files/regular-file.ts';

/** Which sessions have been processed, and up to which message. */
export class ExtractedSessions {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The number of messages of each session when last processed. */
  known(): Map<string, number> {
    const lines = readJsonLines(this.#file).map(
      (line) => (line ?? {}) as { id?: unknown; messages?: unknown },
    );
    return new Map(
      lines.flatMap(({ id, messages }): [string, number][] =>
        typeof id === 'string' && typeof messages === 'number' ? [[id, messages]] : [],
      ),
    );
  }

  add(id: string, messages: number): void {
    makePrivateFolder(path.dirname(this.#file));
    appendRegularText(this.#file, toJsonLines([{ id, messages }]));
  }
}
