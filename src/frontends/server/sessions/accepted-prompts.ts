import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { writeAtomic } from '../../../lib/files/atomic-write.ts';
import { unlessErrno } from '../../../lib/files/errno.ts';
import { parseJson } from '../../../lib/text/json.ts';

/** A prompt as it was sent. */
export type AcceptedPrompt = z.infer<typeof accepted>;

const image = z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() });
const accepted = z.object({
  id: z.string(),
  by: z.string(),
  text: z.string(),
  images: z.array(image),
  after: z.literal(true).optional(),
  isGuest: z.literal(true).optional(),
});
const content = z.object({ prompts: z.array(accepted), done: z.array(z.string()) });

/** How many ids are remembered of prompts that the conversation does not contain, such as commands. */
const MOST_DONE = 200;

/**
 * The prompts that a session accepted and has not saved in its conversation, on the disk: whatever ends the server,
 * none is lost, and none that a client sends again runs twice.
 */
export class AcceptedPrompts {
  readonly #file: string;
  #prompts: AcceptedPrompt[];
  #done: string[];
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
    const text = unlessErrno(['ENOENT'], '', () => readFileSync(file, 'utf8'));
    const { data } = content.safeParse(parseJson(text));
    this.#prompts = data?.prompts ?? [];
    this.#done = data?.done ?? [];
  }

  get prompts(): readonly AcceptedPrompt[] {
    return this.#prompts;
  }

  has(id: string): boolean {
    return this.#done.includes(id) || this.#prompts.some((prompt) => prompt.id === id);
  }

  /** Resolves when it is on the disk. */
  async add(prompt: AcceptedPrompt): Promise<void> {
    this.#prompts = [...this.#prompts, prompt];
    try {
      await this.#write();
    } catch (error) {
      this.#prompts = this.#prompts.filter((one) => one !== prompt);
      throw error;
    }
  }

  /** The conversation contains it. */
  saved(id: string): Promise<void> {
    return this.#remove(id);
  }

  /** It was answered or dropped. */
  done(id: string): Promise<void> {
    if (!this.#prompts.some((prompt) => prompt.id === id)) return this.#writing;
    this.#done = [...this.#done, id].slice(-MOST_DONE);
    return this.#remove(id);
  }

  /** Everything is on the disk. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** The session is deleted. */
  async delete(): Promise<void> {
    this.#prompts = [];
    this.#done = [];
    await this.#write();
  }

  async #remove(id: string): Promise<void> {
    const left = this.#prompts.filter((prompt) => prompt.id !== id);
    if (left.length === this.#prompts.length) return;
    this.#prompts = left;
    await this.#write();
  }

  #write(): Promise<void> {
    const write = async () => {
      const isEmpty = this.#prompts.length === 0 && this.#done.length === 0;
      const text = JSON.stringify({ prompts: this.#prompts, done: this.#done });
      if (isEmpty) rmSync(this.#file, { force: true });
      else await writeAtomic(this.#file, `${text}\n`, 0o600);
    };
    const writing = this.#writing.then(write);
    this.#writing = writing.catch(() => undefined);
    return writing;
  }
}
