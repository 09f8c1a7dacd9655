/** What a conversation needs from its frontend. */
export type Frontend = {
  print(text: string): void;
  /** The user's answer; null at the end of input or when the question was cancelled. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  /** Ctrl-C or Esc. The listener returns false when there was nothing to interrupt. */
  onInterrupt(listener: () => boolean): void;
  /** The names that Tab completes at the start of a prompt, without the slash. */
  completeWith?(commands: () => readonly string[]): void;
};
