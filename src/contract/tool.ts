import type { z } from 'zod';
import type { ImageLimits } from '../lib/images/fit-image.ts';
import type { ResultKind, ResultLimits } from '../lib/results/result-limits.ts';
import type { LinePart } from '../lib/text/cut-line.ts';
import type { Display, Exploration, Summary } from './display.ts';
import type { ImagePart } from './message.ts';
import type { Access } from './permission.ts';
import type { SandboxState } from './sandbox.ts';

/**
 * `output` and `error` are for the model, `display` and `summary` are for people, `metadata` is for programs. A
 * summary that follows from `display` need not be given.
 */
export type ToolResult = (
  | { success: true; output: string; images?: ImagePart[] }
  | { success: false; error: string }
) &
  ResultExtras;

type ResultExtras = { display?: Display; summary?: Summary; metadata?: Record<string, unknown> };

/** The complete content at a path. `sha256` is of the bytes on disk. */
export type FileContent = {
  path: string;
  bytes: Uint8Array;
  sha256: string;
  /** As in `FileStat`, from just before the read: differs if the file changed since. */
  version?: string;
};

export type FileStat = {
  path: string;
  type: 'file' | 'directory' | 'other';
  size: number;
  modifiedMs: number;
  /**
   * For a regular file accessed by its own name: differs after any change. Absent where that is not certain.
   */
  version?: string;
};

/** `offset` lines are skipped; `part` says which characters of the others are read, by default their first. */
export type LineRange = { offset: number; limit: number; part?: LinePart };

/**
 * Some lines of a text file. `more` is true if the file continues; `sha256` is null unless the whole file was
 * read.
 */
export type LineWindow = { path: string; lines: string[]; more: boolean; sha256: string | null };

/**
 * `editor` shows new content in the editor that has the file open, and saves it there: called when everything else is
 * ready, so that the disk does not change under the editor. If it rejects, nothing is written.
 */
export type FileWrite = {
  path: string;
  bytes: Uint8Array;
  was?: Pick<FileContent, 'sha256'> | null;
  editor?(bytes: Uint8Array): Promise<void>;
};

/** Access to the disk. Paths may be relative to the working directory; each is checked again when opened. */
export type Files = {
  /** Reads a whole file; refuses files with more bytes than `most`, which is 10 MB by default. */
  read(path: string, limit?: { most: number }): Promise<FileContent>;
  /** Reads part of a file of any size as a stream: memory use does not grow with the file. */
  readLines(path: string, window: LineRange): Promise<LineWindow>;
  /** Null when nothing exists. `itself`: of a link rather than its target; its type is `other`. */
  stat(path: string, meant?: { itself: true }): Promise<FileStat | null>;
  list(path: string): Promise<FileStat[]>;
  /**
   * Creates parent folders; keeps mode, owner, attributes and hard links. Atomic where the system allows
   * replacing a file. The old content is kept for undo. `was` is what the caller has read, null for nothing:
   * if the file differs now, nothing is written.
   */
  write(path: string, bytes: Uint8Array, was?: Pick<FileContent, 'sha256'> | null): Promise<void>;
  /** All or nothing; one undo step. */
  writeAll(changes: readonly FileWrite[]): Promise<void>;
  /** The old content is kept for undo. */
  remove(path: string): Promise<void>;
};

export type CommandRun = {
  command: string;
  cwd?: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Outside the sandbox, with the user's approval. */
  unconfined?: true;
  /** It is allowed because it only reads: in the sandbox it can change nothing. */
  onlyReads?: true;
  /** It only reads its input: in the sandbox it sees nothing of the project, and starts where nothing is. */
  apart?: true;
  /** Real paths outside the working directory that were opened to it and are visible in the sandbox. */
  readable?: readonly string[];
  /** Files that it must not change. */
  sealed?: readonly string[];
  /** It may change the config of repositories; the caller checks the result. */
  gitConfig?: true;
  /** Added to the default environment of commands; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Standard input; empty by default. */
  input?: string;
  onOutput?: (text: string) => void;
  /** At its time limit it is not stopped: it continues in the background. */
  continuesInBackground?: true;
};

/**
 * `exitCode` is null when a signal ended the command. Text beyond the buffer limit is cut from the middle;
 * `fullOutput` is then a file with all of it, which Read can page through.
 */
export type CommandOutcome = {
  stdout: string;
  stderr: string;
  fullOutput?: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  /** The id of a command that continues in the background after its time limit. */
  background?: string;
  durationMs: number;
  sandbox: SandboxState;
};

/** A background command. `newOutput` is the output since the last check. */
export type BackgroundState = {
  id: string;
  command: string;
  running: boolean;
  exitCode: number | null;
  signal: string | null;
  newOutput: string;
};

/** Runs other programs. */
export type Shell = {
  name: string;
  /** The current sandbox. Detected once, on first use. */
  sandbox(): Promise<SandboxState>;
  run(run: CommandRun): Promise<CommandOutcome>;
  /** Ends with the session at the latest. Resolves with its id. */
  start(
    run: Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'onlyReads' | 'env' | 'readable' | 'sealed'>,
  ): Promise<string>;
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
  /** A ripgrep file type, such as ts or py. */
  type?: string;
  ignoreCase?: boolean;
  multiline?: boolean;
  /** Includes hidden and ignored files. */
  everything?: boolean;
  contextLines?: number;
  /** In lines mode, a NUL follows the path instead of the separator, so that any path can be parsed. */
  null?: boolean;
  mode: 'content' | 'files' | 'count';
};

/**
 * Lines and files found. `total` includes lines beyond the limit; so do `matches`, without context lines, and the
 * number of `files`; both only for content.
 */
type GrepResult = { lines: string[]; total: number; matches?: number; files?: number };

/** Searches in a tree; honours ignore files. `total` includes results beyond the limit. */
export type Search = {
  files(
    pattern: string,
    under: string | undefined,
    options: SearchOptions,
  ): Promise<{ paths: string[]; total: number }>;
  grep(query: GrepQuery, options: SearchOptions): Promise<GrepResult>;
};

export type SearchOptions = { limit: number; signal: AbortSignal; everything?: boolean };

/**
 * A response from the web. `url` is the final address; `movedTo` is a redirect to another host, which is not
 * followed.
 */
export type WebPage = { url: string; status: number; mediaType: string; text: string; movedTo?: string };

/** Access to the web: public addresses only, limited in size and time. */
export type Web = { get(url: string, signal: AbortSignal): Promise<WebPage> };

export type Todo = { text: string; status: 'pending' | 'in_progress' | 'done' };

/** What a choice amounts to, for frontends that show a decision by that. */
export type ChoiceKind = 'always' | 'once' | 'no';

/** A question to the user. An empty list of choices asks for free text; `kinds` has those of the choices of a decision. */
export type UserQuestion = { question: string; choices: string[]; kinds?: ChoiceKind[] };

/** The user's decision about a plan. `plan` is the version that counts: the user may have edited it. */
export type PlanReview = { plan: string } & (
  | { type: 'start'; mode: 'accept-edits' | 'default' }
  /** `feedback` says what to change; it may be empty. */
  | { type: 'revise'; feedback: string }
);

/** Puts a plan to the user. Null if there was no decision. */
export type ReviewPlan = (plan: string, signal: AbortSignal) => Promise<PlanReview | null>;

/**
 * Work for a subagent. `task` is a short description for people; `resumeId` is the id of an earlier subagent to
 * continue.
 */
export type Delegation = {
  agent: string;
  task: string;
  prompt: string;
  resumeId?: string;
  /** In a copy of the project; also if the agent's definition says so. */
  isolation?: 'worktree';
};

/** The result: `text` is the last answer, `trouble` why it ended early. */
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
  /** What became of its changes, if it worked in a copy of the project. */
  merge?: string;
};

/** Languages whose programs can say whether a text parses. */
export type SyntaxLanguage = 'Python' | 'JavaScript' | 'shell';

/** All capabilities of a tool. */
export type ToolContext = {
  cwd: string;
  files: Files;
  shell: Shell;
  search: Search;
  web: Web;
  /** What is wrong with a text; null if nothing is, or no program can tell. Absent where none may run. */
  syntaxFault?(language: SyntaxLanguage, text: string, signal: AbortSignal): Promise<string | null>;
  /** Null when no user is available to answer. */
  ask(question: UserQuestion, signal: AbortSignal): Promise<string | null>;
  /** Plan mode; a plan that is started ends it. Absent without a user, and for subagents. */
  planning?: { isOn(): boolean; review: ReviewPlan };
  /** The task list shown to the user and maintained by the model. */
  todos: { list(): readonly Todo[]; replace(items: readonly Todo[]): void };
  /** The input types the current model supports, and the images that its vendor takes. */
  accepts: { images: boolean; imageLimits?: ImageLimits };
  /** How long the result of this call may be. Absent: as in a large window. */
  limits?: ResultLimits;
  signal: AbortSignal;
  /** Files the session has read: SHA-256 by real path. */
  seen: Map<string, string>;
  progress(text: string): void;
  /** Whether a command outside the sandbox could be approved; false where it is always refused. */
  mayLeaveSandbox?(): boolean;
  /**
   * Delegates work to a subagent; resolves with an error sentence if that is impossible. Absent where the
   * agent may not delegate.
   */
  delegate?(work: Delegation): Promise<Delegated | string>;
};

/** The user is not asked about a call that cannot succeed: the model gets the error at once. */
type Preview = Display | { kind: 'refused'; error: string };

/** The arguments of a call by name, as a model wrote them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a call in the dialect of another assistant means: other arguments, another tool, or nothing that exists. */
export type AdaptedCall = { tool?: string; input: Arguments } | { refuse: string };

export type Tool<Input = unknown> = {
  name: string;
  aliases?: readonly string[];
  /** Other names of its arguments, compared without case, `_` and `-`. */
  argumentAliases?: Readonly<Record<string, readonly string[]>>;
  /** Arguments of other assistants that change nothing here. */
  ignoredArguments?: readonly string[];
  /** What cannot be said by other names alone. `calledAs` is the name that the model used. */
  adapt?(input: Arguments, calledAs: string): AdaptedCall;
  /** Accepted from every model, offered to those that were trained on it. */
  isHidden?: true;
  /** It changes nothing, although it declares no access: an argument that it does not know is only reported. */
  onlyReads?: true;
  description: string;
  input: z.ZodType<Input>;
  /**
   * The input's JSON Schema as shown to the model, if another program wrote it; by default it is derived from
   * `input`.
   */
  parameters?: Record<string, unknown>;
  /** One line for people; `shown` shortens a path for it. */
  title(input: Input, shown: (path: string) => string): string;
  /** For a read-only call whose result people rarely read. */
  explores?: Exploration;
  /** Which limit applies to its results; absent: that of output. */
  results?: ResultKind;
  /** Pure: what the call would access. */
  access(input: Input): Access[];
  /** What the user should see before approving, or why the call cannot succeed. May read, never writes. */
  preview?(input: Input, context: ToolContext): Promise<Preview | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/**
 * Binds a tool's functions to the type its schema yields, then erases that type so that all tools fit in one
 * list. The schema is created on first use: creating all of them would delay every start.
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

export function ok(output: string, extra: ResultExtras & { images?: ImagePart[] } = {}): ToolResult {
  return { success: true, output, ...extra };
}

/** An error the model can fix: say what is wrong and what to do next. */
export function fail(error: string, extra: ResultExtras = {}): ToolResult {
  return { success: false, error, ...extra };
}
