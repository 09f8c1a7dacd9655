import { updateFile } from '../lib/files/file-update.ts';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { appendRegularText } from '../lib/files/regular-file.ts';

type Line = { prompt: string; cwd: string; at: string };

/** The user's prompts of all sessions, for recall. */
export class PromptHistory {
  readonly #file: string;
  readonly #limit: number;
  readonly #cwd: string;

  constructor({ file, limit, cwd }: { file: string; limit: number; cwd: string }) {
    this.#file = file;
    this.#limit = limit;
    this.#cwd = cwd;
  }

  /** Oldest first, each prompt once, at its last position; those of this folder come after all others. */
  list(): string[] {
    const lines = this.#lines();
    const here = lines.filter(({ cwd }) => cwd === this.#cwd);
    const elsewhere = lines.filter(({ cwd }) => cwd !== this.#cwd);
    const prompts = [...elsewhere, ...here].map(({ prompt }) => prompt);
    return prompts.filter((prompt, i) => prompts.lastIndexOf(prompt) === i);
  }

  async add(prompt: string): Promise<void> {
    if (prompt.trim() === '') return;
    const line: Line = { prompt, cwd: this.#cwd, at: new Date().toISOString() };
    await updateFile(this.#file, async (write) => {
      appendRegularText(this.#file, toJsonLines([line]));
      const lines = this.#lines();
      if (lines.length > this.#limit * 1.5) await write(toJsonLines(lines.slice(-this.#limit)));
    });
  }

  #lines(): Line[] {
    return readJsonLines(this.#file).flatMap((value) => {
      const { prompt, cwd = '', at = '' } = (value ?? {}) as Partial<Line>;
      return typeof prompt === 'string' ? [{ prompt, cwd, at }] : [];
    });
  }
}
