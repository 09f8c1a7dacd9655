/** What a conversation needs of the frontend that shows it. */
export type Frontend = {
  print(text: string): void;
  /** The line the user answers with; null when the input has ended or the question was called off. */
  ask(question: string, signal?: AbortSignal): Promise<string | null>;
  /** Ctrl-C or Esc. The listener returns false when there was nothing to interrupt. */
  onInterrupt(listener: () => boolean): void;
  /** The names that Tab completes at the start of a prompt, without the slash. */
  completeWith?(commands: () => readonly string[]): void;
};
