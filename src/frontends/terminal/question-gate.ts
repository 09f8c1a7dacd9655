import type { Key } from './view/types.ts';

/** How long after the last key for the prompt a question takes keys. */
export const PAUSE_MS = 1_000;

/** How long a question must have been visible before it takes keys; painting delays it by up to 50 ms. */
export const UNREAD_MS = 350;

type Around = {
  /** Whether the prompt holds text, or searches for it. */
  isEditing(): boolean;
  /** The time in which keys were read: those of a stall were typed without seeing the question. */
  listening(): number;
};

/**
 * Keeps typing apart from answering. A question waits behind a prompt that is being edited. When it is visible,
 * it takes no key before it could be read, or within a second of the last key for the prompt.
 */
export class QuestionGate {
  readonly #around: Around;
  #typedAt = Number.NEGATIVE_INFINITY;
  #shownAt: number | null = null;
  #isOpened = false;

  constructor(around: Around) {
    this.#around = around;
  }

  /** Whether a question has to wait behind the prompt. */
  get isHeld(): boolean {
    return !this.#isOpened && this.#around.isEditing();
  }

  /** A key for the prompt. */
  typed(): void {
    this.#typedAt = performance.now();
    this.#isOpened = false;
  }

  /** The user wants to see the question, whatever the prompt holds. */
  open(): void {
    this.#typedAt = Number.NEGATIVE_INFINITY;
    this.#isOpened = true;
  }

  /** Called with every frame. */
  drawn(isShown: boolean): void {
    this.#shownAt = isShown ? (this.#shownAt ?? this.#around.listening()) : null;
  }

  /** Whether the key is for the question; otherwise it is for the prompt. */
  takes(key: Key): boolean {
    if (this.isHeld) return false;
    // Stopping is possible without having read the question.
    if (key.type === 'key' && key.ctrl && key.name === 'c') return true;
    const isRead = this.#shownAt !== null && this.#around.listening() - this.#shownAt >= UNREAD_MS;
    return isRead && performance.now() - this.#typedAt >= PAUSE_MS;
  }
}
