import type { Limit, LimitScope } from './limit.ts';
import type { Usage, UserMessage } from './message.ts';
import type { Permission, PermissionMode, Verdict } from './permission.ts';
import type { Session, SessionSummary } from './session.ts';

/** What may happen without asking; a change counts from the next call on. */
export type ModeSwitch = { get(): PermissionMode; set(mode: PermissionMode): void };

/** What binds calls here and now, and the way to take answers back. */
export type Standing = {
  /** The user's rules, as the settings have them. */
  rules(): { verdict: Verdict; pattern: string }[];
  grants(): readonly Permission[];
  /** Refusals that answer the identical request. */
  denials(): { key: string; operation: string; because: string }[];
  /** For good: an `always` also leaves the settings. */
  forgetGrant(grant: Permission): Promise<void>;
  forgetDenial(key: string): void;
};

/** `kept` are files that were left as they are, and why. */
export type UndoReport = { restored: string[]; removed: string[]; kept: { path: string; because: string }[] };

/** What an undo or redo would do to files; nothing has happened yet. */
export type PendingUndo = {
  files: PendingFile[];
  conflicts: { path: string; because: string }[];
  /** Differences that may be somebody else's doing. They are left alone unless `apply` is given their paths. */
  uncertain: (PendingFile & { because: string })[];
  apply(include?: readonly string[]): Promise<UndoReport>;
};

export type PendingFile = { path: string; change: 'restore' | 'remove'; added: number; removed: number };

/** What the calls of a session have done to files, and the way back. */
export type FileHistory = {
  /** Runs that changed files and were not taken back, the oldest first. */
  runs(): Promise<{ at: string; paths: string[] }[]>;
  /** Of the last run that changed any, or of all runs since a time. Null when there is nothing to take back. */
  undo(since?: string): Promise<PendingUndo | null>;
  /** Null when there is nothing to do again. */
  redo(): Promise<PendingUndo | null>;
};

/** The conversation as it is kept, and the others beside it. */
export type SessionDesk = {
  /** Its messages change as the conversation goes on; all of them are there once `ready`. */
  session: Session;
  ready: Promise<void>;
  /** The one used last first. */
  list(): SessionSummary[];
  rename(title: string): Promise<void>;
  /** The conversation goes on from its first `keep` messages; the others stay in the file. */
  rewind(keep: number): Promise<void>;
  /** Goes on in a copy with the first messages, all of them if `keep` is left out. Resolves with its id. */
  fork(keep?: number): Promise<string>;
  /** Goes on in a new session, with nothing said yet. */
  begin(): void;
  /** Goes on in another session, named by its id, the first characters of it, or its title. */
  goTo(wanted: string): Promise<void>;
  /**
   * Writes it to a file, in the format that the name asks for. Placeholders stand for secrets unless `withSecrets`.
   * Resolves with the file.
   */
  exportTo(file: string, options?: { withSecrets?: boolean }): Promise<string>;
};

/** Where the model's window goes, in tokens. */
export type WindowUse = {
  model: string;
  window: number;
  /** What a request takes now. */
  total: number;
  /** Past this, older messages are compacted. */
  compactAt: number;
  parts: { name: string; tokens: number }[];
  /** The largest messages, the largest first. */
  biggest: { name: string; tokens: number }[];
};

export type Compacted = { before: number; after: number; by: string };

/** What the model is shown of the conversation. */
export type ContextWindow = {
  use(): Promise<WindowUse>;
  /** `focus` is what the summary should keep above all. Null when there is nothing old enough, or it was called off. */
  compact(focus: string, signal: AbortSignal): Promise<Compacted | null>;
  /** Null when nothing is compacted. */
  uncompact(): Promise<Compacted | null>;
  pins(): readonly string[];
  /** Null, or why it was not taken. */
  pin(text: string): Promise<string | null>;
  unpin(text: string): Promise<void>;
};

/** What one model was asked for, and what it came to. `usd` is null where a price is unknown. */
export type ModelCost = {
  model: string;
  calls: number;
  usage: Usage;
  usd: number | null;
  /** The vendor left out some figures. */
  estimated: boolean;
};

/** What calls have cost, and what they may cost. */
export type Spending = {
  /** By model, the dearest first. */
  costs(): Promise<{ scope: LimitScope; models: ModelCost[] }[]>;
  limits(): Promise<{ scope: LimitScope; limit: Limit; used: number }[]>;
  /** Takes the place of the scope's limits, for this conversation; an empty list is no limit. */
  setLimits(scope: LimitScope, limits: readonly Limit[]): void;
};

/** How often a thing was done, how often it failed, and how long it took in all. */
export type Count = { calls: number; failed: number; ms: number };

/** What a session has come to so far, in this process and before. */
export type SessionFigures = {
  runs: number;
  turns: number;
  ms: number;
  /** Of each request to a model, the first one first. */
  requests: readonly { usage: Usage; usd: number | null }[];
  /** How long models took. */
  answered: Count;
  /** The one used most first. */
  tools: readonly (Count & { name: string })[];
  caches: readonly { name: string; hits: number; misses: number }[];
};

/** The log, for whoever looks for a cause. */
export type LogDesk = {
  file: string;
  level: string;
  /** Of all sessions, the latest last. */
  warnings(count: number): Promise<readonly { timestamp: string; level: string; message: string }[]>;
};

/** How far the vendor's prompt cache carries. */
export type PromptCacheUse = {
  /** All replies of the session, as the vendor counted them. */
  session: Usage;
  /** Null before there is a reply. */
  last: Usage | null;
  /** The last request beside the one before it; null before there are two. */
  compared: { gapMs: number; difference: { block: string; character: number } | null } | null;
};

/** A note of the user, or of this project. */
export type RememberedNote = {
  kind: 'user' | 'context' | 'decisions' | 'learnings';
  text: string;
  /** When it was noted; null for what a person wrote into the file. */
  date: string | null;
  /** Told in every session, and kept whatever its age. */
  pinned: boolean;
};

/** Why a text was not noted, or null when it was. */
export type NotNoted = 'known' | 'secret' | 'gone' | null;

/** What experience speaks for. Nothing happens before `apply`. */
export type Suggestion = {
  what: 'rule' | 'convention';
  text: string;
  because: string;
  apply(): Promise<void>;
};

/** What is kept from session to session. */
export type Memory = {
  folder: string;
  list(): RememberedNote[];
  remember(kind: RememberedNote['kind'], text: string): Promise<NotNoted>;
  /** Goes through this conversation now. Null when there is no model for it. */
  learn(signal: AbortSignal): Promise<RememberedNote[] | null>;
  edit(note: RememberedNote, text: string): Promise<NotNoted>;
  forget(note: RememberedNote): Promise<NotNoted>;
  pin(note: RememberedNote, pinned: boolean): Promise<NotNoted>;
  suggestions(): Promise<Suggestion[]>;
};

/** One MCP server as a user sees it. `trouble` says why it is not ready. */
export type McpServerState = {
  name: string;
  transport: 'stdio' | 'http' | 'sse';
  address: string;
  phase: 'connecting' | 'ready' | 'failed' | 'login' | 'off';
  trouble: string;
  tools: readonly { name: string; description: string }[];
  resources: readonly { uri: string; name: string }[];
  prompts: readonly { name: string; description: string }[];
  /** What it said of itself lately. */
  log: readonly string[];
};

export type McpServers = {
  list(): McpServerState[];
  /** Resolves when it is ready or known not to be; false when there is no such server. */
  restart(name: string): Promise<boolean>;
  /** `show` is told the address that the user must visit. */
  login(name: string, show: (url: string) => void): Promise<void>;
  /** The servers' prompts as commands. */
  commands(): readonly SlashCommand[];
  /** A prompt with what its `@server:uri` words stand for. */
  withResources(content: UserMessage['content']): Promise<UserMessage['content']>;
};

/** For one run only: another model, and the only tools that may be used. */
export type RunOptions = { model?: string; tools?: readonly string[] };

/** A plugin as a user sees it; `trouble` says why it was left out. */
export type PluginState = {
  name: string;
  version: string;
  place: string;
  trouble: string;
  tools: readonly string[];
  hooks: readonly string[];
  commands: readonly string[];
};

/** What users and projects add to the assistant. */
export type Extensions = {
  /** Once they are loaded. */
  plugins(): Promise<readonly PluginState[]>;
  skills(): Promise<readonly { name: string; description: string; source: string }[]>;
  hooks(): readonly { point: string; command: string }[];
  /** Of plugins and of Markdown files; those of plugins come when they are loaded. */
  commands(): readonly SlashCommand[];
  /** The prompt that a line such as `/name args` stands for; null when no Markdown file has that name. */
  promptFor(line: string): Promise<{ content: UserMessage['content']; options: RunOptions } | null>;
};

/** One setting that is not at its default, and who set it. */
export type SettingState = { key: string; value: string; origin: string };

/** One thing looked into, and what was found. `next` says what to do about it. */
export type HealthCheck = { name: string; state: 'ok' | 'warn' | 'bad'; text: string; next?: string };

/** Where a git repository stands. `branch` is null away from all branches; `hooks` would run with a commit. */
type RepositoryState = {
  branch: string | null;
  /** The one committed to last first. */
  branches: string[];
  staged: string[];
  unstaged: string[];
  untracked: string[];
  hooks: string[];
};

/** The git repository around the working directory, on the user's word. */
export type Repository = {
  /** Null where there is none. */
  state(): Promise<RepositoryState | null>;
  /** What has changed of the files git knows. */
  stageChanged(): Promise<void>;
  /** A message for what is staged, written by a model. */
  draft(wishes: string): Promise<string>;
  /** With the user's hooks, as git would. */
  commit(message: string): Promise<{ success: boolean; output: string }>;
  switchTo(branch: string, options: { create: boolean }): Promise<void>;
  /** By a subagent that changes nothing; null when there is nothing to review. */
  review(wanted: string): Promise<{ what: string; text: string } | null>;
  /** Ends what a model does here; false when none does anything. */
  interrupt(): boolean;
};

/** What a slash command may do to the conversation and to the screen. */
export type CommandContext = {
  commands: readonly SlashCommand[];
  cwd: string;
  /** The user has called the command off. */
  signal: AbortSignal;
  print(text: string): void;
  /** Null when the input has ended, or the command was called off. */
  ask(question: string): Promise<string | null>;
  /** Puts a question that only a plain yes agrees to. */
  confirm(question: string): Promise<boolean>;
  files: FileHistory;
  sessions: SessionDesk;
  /** What was typed in this session and the others, the oldest first. */
  prompts(): readonly string[];
  spending: Spending;
  mode: ModeSwitch;
  permissions: Standing;
  window: ContextWindow;
  /** Absent where nobody watches the requests. */
  cache?(): PromptCacheUse;
  /** Absent where nobody counts. */
  figures?(): Promise<SessionFigures>;
  /** Absent where a face has none. */
  log?: LogDesk;
  /** Absent when it is switched off. */
  memory?: Memory;
  /** Absent where no server is set up. */
  mcp?: McpServers;
  /** Absent where a face has none. */
  repository?: Repository;
  /** Absent where a face has none. */
  extensions?: Extensions;
  /** What the settings say, but for what nobody set. */
  settings?(): readonly SettingState[];
  /** Looks into what usually goes wrong. */
  health?(): Promise<HealthCheck[]>;
  /** A call on the user's word: judged, asked about and run like one of the model's. Its text, and whether it went well. */
  call?(name: string, input: unknown): Promise<{ success: boolean; text: string }>;
  /** Goes to the model as if the user had typed it; resolves when the run has ended. */
  submit(content: UserMessage['content'], options?: RunOptions): Promise<void>;
  quit(): void;
};

/** Typed by the user as `/name args`. */
export type SlashCommand = {
  name: string;
  description: string;
  execute(args: string[], context: CommandContext): Promise<void>;
};
