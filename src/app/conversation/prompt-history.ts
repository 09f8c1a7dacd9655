import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { PromptHistory } from '../../session/prompt-history.ts';

/** What was typed, the oldest first; kept over sessions if the user wants that. */
export class TypedPrompts {
  readonly #kept: PromptHistory | null;
  readonly #limit: number;
  readonly #warn: (text: string) => void;
  #prompts: string[];
  #told = false;

  /** `warn` is told once when the disk refuses; what is typed is then still there until the end. */
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
    this.#warn(`What you type is not kept for later sessions (${error.message}).`);
  }
}
