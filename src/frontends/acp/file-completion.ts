import { projectFiles } from '../../sandbox/files/project-files.ts';
import { FileNames } from '../shared/file-names/file-names.ts';
import type { FileQuery } from './extension-methods.ts';

/** More than a user would scroll through. */
const MOST_FILES = 50;

/** Files and folders for what was typed after `@`. */
export class FileCompletion {
  readonly #files: FileNames;

  constructor(cwd: string) {
    this.#files = new FileNames({
      list: (signal) => projectFiles(cwd, signal),
      now: Date.now,
      onChange: () => undefined,
    });
  }

  /** The best first. */
  async complete({ query, limit = MOST_FILES }: FileQuery): Promise<string[]> {
    const known = this.#files.search(query, limit);
    if (known === null) await this.#files.refresh();
    return (known ?? this.#files.search(query, limit) ?? []).map(({ name }) => name);
  }

  close(): void {
    this.#files.close();
  }
}
