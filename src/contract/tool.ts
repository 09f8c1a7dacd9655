import type { z } from 'zod';
import type { Display } from './display.ts';
import type { ImagePart } from './message.ts';
import type { Access } from './permission.ts';

/** `output` and `error` are for the model, `display` is for eyes, `metadata` is for programs. */
export type ToolResult = (
  | { success: true; output: string; images?: ImagePart[] }
  | { success: false; error: string }
) & { display?: Display; metadata?: Record<string, unknown> };

/** What stands at a path, read whole. `sha256` is of the bytes on disk. */
export type FileContent = { path: string; bytes: Uint8Array; sha256: string };

export type FileStat = {
  path: string;
  type: 'file' | 'directory' | 'other';
  size: number;
  modifiedMs: number;
};

/** The way to the disk. Paths may be relative to the working directory; each is guarded again when opened. */
export type Files = {
  read(path: string): Promise<FileContent>;
  /** Null when nothing is there. */
  stat(path: string): Promise<FileStat | null>;
  list(path: string): Promise<FileStat[]>;
  /** Atomic; creates parent folders; keeps mode bits. The old content is kept for undo. */
  write(path: string, bytes: Uint8Array): Promise<void>;
};

export type CommandRun = {
  command: string;
  cwd?: string;
  timeoutMs: number;
  signal: AbortSignal;
  onOutput?: (text: string) => void;
};

/** `exitCode` is null when a signal ended the command. Text beyond the buffer limit is dropped from the middle. */
export type CommandOutcome = {
  stdout: string;
  stderr: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  durationMs: number;
};

/** The way to other programs. */
export type Shell = { name: string; run(run: CommandRun): Promise<CommandOutcome> };

export type GrepQuery = {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  contextLines?: number;
  mode: 'content' | 'files' | 'count';
};

/** The way to look things up in a tree; ignore files are honoured. `total` counts what the limit left out, too. */
export type Search = {
  files(
    pattern: string,
    under: string | undefined,
    options: SearchOptions,
  ): Promise<{ paths: string[]; total: number }>;
  grep(query: GrepQuery, options: SearchOptions): Promise<{ lines: string[]; total: number }>;
};

export type SearchOptions = { limit: number; signal: AbortSignal };

/** A tool has no hands but these. */
export type ToolContext = {
  cwd: string;
  files: Files;
  shell: Shell;
  search: Search;
  signal: AbortSignal;
  /** What the session knows of files it has read: the SHA-256 by real path. */
  seen: Map<string, string>;
  progress(text: string): void;
};

export type Tool<Input = unknown> = {
  name: string;
  aliases?: readonly string[];
  description: string;
  input: z.ZodType<Input>;
  title(input: Input): string;
  /** Pure: what would be touched. */
  access(input: Input): Access[];
  /** What a person should see before saying yes. May read, never writes. */
  preview?(input: Input, context: ToolContext): Promise<Display | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** Ties a tool's functions to the type its schema yields, then forgets that type so that tools fit in one list. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool<z.output<Schema>>, 'input'> & { input: Schema },
): Tool {
  return tool as unknown as Tool;
}

export function ok(
  output: string,
  extra: Pick<ToolResult, 'display' | 'metadata'> & { images?: ImagePart[] } = {},
): ToolResult {
  return { success: true, output, ...extra };
}

/** What the model can mend: say what is wrong and what to do next. */
export function fail(error: string, extra: Pick<ToolResult, 'display' | 'metadata'> = {}): ToolResult {
  return { success: false, error, ...extra };
}
