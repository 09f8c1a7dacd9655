import path from 'node:path';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { appendRegularText } from '../lib/files/regular-file.ts';

/** Suggestions that the user does not want, by their text, with the time when that was said. */
export class DismissedSuggestions {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  all(): Map<string, string> {
    const lines = readJsonLines(this.#file).map((line) => (line ?? {}) as { text?: unknown; at?: unknown });
    return new Map(
      lines.flatMap(({ text, at }): [string, string][] =>
        typeof text === 'string' && typeof at === 'string' ? [[text, at]] : [],
      ),
    );
  }

  add(text: string): void {
    makePrivateFolder(path.dirname(this.#file));
    appendRegularText(this.#file, toJsonLines([{ text, at: new Date().toISOString() }]));
  }
}
