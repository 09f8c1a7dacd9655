import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { PromptHistory } from '../../session/prompt-history.ts';

/** Prompts typed by the user, oldest first; kept across sessions if the user wants that. */
export class TypedPrompts {
  readonly #kept: PromptHistory | null;
  readonly #limit: number;
  readonly #warn: (text: string) => void;
  #prompts: string[];
  #told = false;

  /** `warn` is called once when the disk cannot be written; prompts are then kept in memory only. */
  constructor({
    root,
    cwd,
    config,
    warn,
  }: {
    root: string;
    cwd: string;
    config: Pick<Config, 'saveHistory' | 'maxHistorySize'>;
    warn(text: string): void;
  }) {
    this.#limit = config.maxHistorySize;
    this.#warn = warn;
    this.#kept = config.saveHistory
      ? new PromptHistory({ file: path.join(root, 'history.jsonl'), limit: this.#limit, cwd })
      : null;
    this.#prompts = this.#read();
  }

  list(): readonly string[] {
    return this.#prompts;
  }

  async add(prompt: string): Promise<void> {
    this.#prompts = [...this.#prompts.filter((earlier) => earlier !== prompt), prompt].slice(-this.#limit);
    await this.#kept?.add(prompt).catch((error: Error) => this.#refused(error));
  }

  #read(): string[] {
    try {
      return this.#kept?.list().slice(-this.#limit) ?? [];
    } catch (error) {
      this.#refused(error as Error);
      return [];
    }
  }

  #refused(error: Error): void {
    if (this.#told) return;
    this.#told = true;
    this.#warn(`Could not save the prompt history (${error.message}).`);
  }
}
