import type { z } from 'zod';
import type { Display } from './display.ts';
import type { ImagePart } from './message.ts';
import type { Access } from './permission.ts';
import type { SandboxState } from './sandbox.ts';

/** `output` and `error` are for the model, `display` is for eyes, `metadata` is for programs. */
export type ToolResult = (
  | { success: true; output: string; images?: ImagePart[] }
  | { success: false; error: string }
) & { display?: Display; metadata?: Record<string, unknown> };

/** What stands at a path, read whole. `sha256` is of the bytes on disk. */
export type FileContent = {
  path: string;
  bytes: Uint8Array;
  sha256: string;
  /** As in `FileStat`, from just before it was read: what was changed since has another one. */
  version?: string;
};

export type FileStat = {
  path: string;
  type: 'file' | 'directory' | 'other';
  size: number;
  modifiedMs: number;
  /** Of a regular file that was looked at by its own name: another word after any change. Absent where none is sure. */
  version?: string;
};

/** Some lines of a text file. `more` tells whether the file goes on; `sha256` is null unless all of it was read. */
export type LineWindow = { path: string; lines: string[]; more: boolean; sha256: string | null };

export type FileWrite = { path: string; bytes: Uint8Array; was?: Pick<FileContent, 'sha256'> | null };

/** The way to the disk. Paths may be relative to the working directory; each is guarded again when opened. */
export type Files = {
  /** Whole; refuses what is larger than 10 MB. */
  read(path: string): Promise<FileContent>;
  /** A part of a file of any size, read as a stream: memory does not grow with the file. */
  readLines(path: string, window: { offset: number; limit: number }): Promise<LineWindow>;
  /** Null when nothing is there. `itself`: of a link, not of what it leads to; its type is `other`. */
  stat(path: string, meant?: { itself: true }): Promise<FileStat | null>;
  list(path: string): Promise<FileStat[]>;
  /**
   * Creates parent folders; keeps mode, owner, attributes and other names. Atomic where the system lets a file be
   * replaced. The old content is kept for undo. `was` is what was read there, null for nothing: if something else
   * stands there by now, nothing is written.
   */
  write(path: string, bytes: Uint8Array, was?: Pick<FileContent, 'sha256'> | null): Promise<void>;
  /** All of them or none; one step of undo. */
  writeAll(changes: readonly FileWrite[]): Promise<void>;
  /** The old content is kept for undo. */
  remove(path: string): Promise<void>;
};

export type CommandRun = {
  command: string;
  cwd?: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Outside the sandbox: a person has agreed to it. */
  unconfined?: true;
  /** Real paths outside the working directory that were opened to it: the sandbox shows them. */
  readable?: readonly string[];
  /** On top of the environment commands have anyway; undefined takes a variable out. */
  env?: Readonly<Record<string, string | undefined>>;
  /** What it finds on standard input; without it, nothing. */
  input?: string;
  onOutput?: (text: string) => void;
};

/**
 * `exitCode` is null when a signal ended the command. Text beyond the buffer limit is cut from the middle;
 * `fullOutput` is then a file that holds all of it, one that Read can page.
 */
export type CommandOutcome = {
  stdout: string;
  stderr: string;
  fullOutput?: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  durationMs: number;
  sandbox: SandboxState;
};

/** A command that goes on while the conversation does. `newOutput` is what came since it was last asked for. */
export type BackgroundState = {
  id: string;
  command: string;
  running: boolean;
  exitCode: number | null;
  signal: string | null;
  newOutput: string;
};

/** The way to other programs. */
export type Shell = {
  name: string;
  /** What commands run in now. Looked for once, when first asked. */
  sandbox(): Promise<SandboxState>;
  run(run: CommandRun): Promise<CommandOutcome>;
  /** Ends with the session at the latest. Resolves with its id. */
  start(run: Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'env' | 'readable'>): Promise<string>;
  /** Null when there is no such id. */
  check(id: string): BackgroundState | null;
  /** Resolves when it has ended; false when there is no such id or it had already ended. */
  stop(id: string): Promise<boolean>;
  background(): { id: string; command: string; running: boolean }[];
};

export type GrepQuery = {
  pattern: string;
  path?: string;
  glob?: string;
  /** A kind of file ripgrep knows, such as ts or py. */
  type?: string;
  ignoreCase?: boolean;
  multiline?: boolean;
  /** Also hidden files and those ignore files leave out. */
  everything?: boolean;
  contextLines?: number;
  /** In lines, a NUL in place of the mark after the path, so that any path can be told from the rest. */
  null?: boolean;
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

export type SearchOptions = { limit: number; signal: AbortSignal; everything?: boolean };

/** What came back from the web. `url` is where it ended; `movedTo` is a redirect to another host, not followed. */
export type WebPage = { url: string; status: number; mediaType: string; text: string; movedTo?: string };

/** The way to the web: public addresses only, bounded in size and time. */
export type Web = { get(url: string, signal: AbortSignal): Promise<WebPage> };

export type Todo = { text: string; status: 'pending' | 'in_progress' | 'done' };

/** A question of the model to the user. An empty list of choices asks for free words. */
export type UserQuestion = { question: string; choices: string[] };

/** Work for a subagent. `task` is a few words for eyes; `goOn` is the id of an earlier one that is asked more. */
export type Delegation = { agent: string; task: string; prompt: string; goOn?: string };

/** What became of it: `text` is its last answer, `trouble` why it ended early. */
export type Delegated = {
  id: string;
  text: string;
  trouble: string | null;
  model: string;
  turns: number;
  calls: number;
  tokens: number;
  /** Of its own calls and those of its subagents. Null when the price of a model was unknown. */
  costUsd: number | null;
};

/** A tool has no hands but these. */
export type ToolContext = {
  cwd: string;
  files: Files;
  shell: Shell;
  search: Search;
  web: Web;
  /** Null when nobody is there to answer. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
  /** The task list the user sees; the model keeps it. */
  todos: { list(): readonly Todo[]; replace(items: readonly Todo[]): void };
  /** What the model in use can take in. */
  accepts: { images: boolean };
  signal: AbortSignal;
  /** What the session knows of files it has read: the SHA-256 by real path. */
  seen: Map<string, string>;
  progress(text: string): void;
  /** Whether a command outside the sandbox could be allowed; false where it is refused whatever is asked. */
  mayLeaveSandbox?(): boolean;
  /** Hands work on to a subagent; a sentence when that cannot be. Absent where the agent may not. */
  delegate?(work: Delegation): Promise<Delegated | string>;
};

export type Tool<Input = unknown> = {
  name: string;
  aliases?: readonly string[];
  description: string;
  input: z.ZodType<Input>;
  /** What the model is told of the input, as JSON Schema, where another program wrote it; without it, `input` says. */
  parameters?: Record<string, unknown>;
  title(input: Input): string;
  /** Pure: what would be touched. */
  access(input: Input): Access[];
  /** What a person should see before saying yes. May read, never writes. */
  preview?(input: Input, context: ToolContext): Promise<Display | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/**
 * Ties a tool's functions to the type its schema yields, then forgets that type so that tools fit in one list. The
 * schema is made when it is first needed: making all of them would delay every start.
 */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool<z.output<Schema>>, 'input'> & { input: () => Schema },
): Tool {
  const { input, ...rest } = tool;
  let schema: Schema | undefined;
  const whole = {
    ...rest,
    get input() {
      schema ??= input();
      return schema;
    },
  };
  return whole as unknown as Tool;
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
