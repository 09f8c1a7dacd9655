/** What a slash command may do to the conversation and to the screen. */
export type CommandContext = {
  commands: readonly SlashCommand[];
  print(text: string): void;
  undo(): Promise<{ restored: string[]; removed: string[]; kept: string[] } | null>;
  usage(): { inputTokens: number; outputTokens: number; costUsd: number | null };
  quit(): void;
};

/** Typed by the user as `/name args`. */
export type SlashCommand = {
  name: string;
  description: string;
  execute(args: string[], context: CommandContext): Promise<void>;
};
