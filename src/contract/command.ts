import type { LanguageServers } from './code-intelligence.ts';
import type { Limit, LimitScope } from './limit.ts';
import type { Usage, UserMessage } from './message.ts';
import type { Permission, PermissionMode, PromptRules, RuleList } from './permission.ts';
import type { EffortSwitch } from './request/effort.ts';
import type { ChangeReview, ChangeScope, UndoReport } from './review.ts';
import type { Session, SessionSummary } from './session.ts';

/** What may happen without asking. A change applies from the next call on. */
export type ModeSwitch = {
  get(): PermissionMode;
  set(mode: PermissionMode): void;
  /** Called after every change. Returns a function that removes the listener. */
  onChange(listener: (mode: PermissionMode) => void): () => void;
};

export type PermissionRule = { verdict: RuleList; pattern: string };

/** The rules, grants and denials in effect, and how to change them. */
export type PermissionState = {
  /** The user's rules from the settings. */
  rules(): PermissionRule[];
  /** Those that the user added in this session. */
  addedRules(): readonly PermissionRule[];
  /** Those of the skills and commands in use, until the run ends. */
  promptRules(): readonly PromptRules[];
  /** Throws a `UserError` if it is not a rule. Resolves with warnings. */
  addRule(rule: PermissionRule): Promise<readonly string[]>;
  removeRule(rule: PermissionRule): Promise<void>;
  grants(): readonly Permission[];
  /** Denials that also apply to identical requests. */
  denials(): { key: string; operation: string; because: string }[];
  /** Permanent: an `always` is also removed from the settings. */
  forgetGrant(grant: Permission): Promise<void>;
  forgetDenial(key: string): void;
  /** Trusts this folder from now on; null where that would change nothing, or is not up to this user. */
  trust(): (() => Promise<void>) | null;
};

/** The effect an undo or redo would have on files; nothing has been changed yet. */
export type PendingUndo = {
  files: PendingFile[];
  conflicts: { path: string; because: string }[];
  /** Differences that another program may have caused. Left alone unless `apply` is given their paths. */
  uncertain: (PendingFile & { because: string })[];
  apply(include?: readonly string[]): Promise<UndoReport>;
};

export type PendingFile = { path: string; change: 'restore' | 'remove'; added: number; removed: number };

/** The file changes of a session, with undo and redo. */
export type FileHistory = {
  /** Runs that changed files and were not undone, oldest first. */
  runs(): Promise<{ at: string; paths: string[] }[]>;
  /** Undoes the last run that changed files, or all runs since a time. Null when there is nothing to undo. */
  undo(since?: string): Promise<PendingUndo | null>;
  /** Null when there is nothing to redo. */
  redo(): Promise<PendingUndo | null>;
  /** What is left of the changes of some runs, to be looked at and reverted one by one. */
  changes(scope: ChangeScope): Promise<ChangeReview>;
};

/** The current session, and access to the others. */
export type SessionActions = {
  /** Its messages change during the conversation; all of them are loaded once `ready`. */
  session: Session;
  ready: Promise<void>;
  /** Most recently used first. */
  list(): SessionSummary[];
  rename(title: string): Promise<void>;
  /** Continues from the first `keep` messages; the others stay in the file. */
  rewind(keep: number): Promise<void>;
  /** Continues in a copy with the first `keep` messages, or all of them. Resolves with its id. */
  fork(keep?: number): Promise<string>;
  /** Continues in a new, empty session. */
  begin(): Promise<void>;
  /** Continues in another session, given by id, id prefix or title. */
  goTo(wanted: string): Promise<void>;
  /**
   * Exports the session to a file, in the format of its extension. Secrets are replaced by placeholders
   * unless `withSecrets`. Resolves with the path.
   */
  exportTo(file: string, options?: { withSecrets?: boolean }): Promise<string>;
};

/** How the model's context window is used, in tokens. */
export type WindowUse = {
  model: string;
  /** The named account that pays; absent for the default one. */
  account?: string;
  window: number;
  /** The size of a request now. */
  total: number;
  /** Above this, older messages are compacted. */
  compactAt: number;
  parts: { name: string; tokens: number }[];
  /** The largest messages, largest first. */
  biggest: { name: string; tokens: number }[];
  /** Blocks of earlier reasoning that the vendor left out since this program started; absent without any. */
  reasoningDropped?: number;
};

export type Compacted = { before: number; after: number; by: string };

/** What the model is shown of the conversation. */
export type ContextWindow = {
  use(): Promise<WindowUse>;
  /**
   * `focus` is what the summary should keep above all. Null when nothing is old enough, or it was cancelled.
   */
  compact(focus: string, signal: AbortSignal): Promise<Compacted | null>;
  /** Null when nothing is compacted. */
  uncompact(): Promise<Compacted | null>;
  /**
   * Reads instructions, skills and tools again and begins with them anew: tokens of what was read, and of the next
   * request, which no vendor has cached.
   */
  refresh(): Promise<{ prefix: number; tokens: number }>;
  pins(): readonly string[];
  /** Null, or why the text was rejected. */
  pin(text: string): Promise<string | null>;
  unpin(text: string): Promise<void>;
};

/** Usage and cost of one model. `usd` is null where a price is unknown. */
export type ModelCost = {
  model: string;
  calls: number;
  usage: Usage;
  usd: number | null;
  /** The vendor omitted some figures. */
  estimated: boolean;
};

/** Costs so far, and their limits. */
export type Spending = {
  /** By model, most expensive first. */
  costs(): Promise<{ scope: LimitScope; models: ModelCost[] }[]>;
  limits(): Promise<{ scope: LimitScope; limit: Limit; used: number }[]>;
  /** Replaces the scope's limits for this conversation; an empty list means no limit. */
  setLimits(scope: LimitScope, limits: readonly Limit[]): void;
};

/** How often an operation ran, how often it failed, and its total duration. */
export type Count = { calls: number; failed: number; ms: number };

/** Figures of a session so far, including earlier processes. */
export type SessionFigures = {
  runs: number;
  turns: number;
  ms: number;
  /** Of each request to a model, oldest first. */
  requests: readonly { usage: Usage; usd: number | null }[];
  /** How long models took to answer. */
  answered: Count;
  /** Most used first. */
  tools: readonly (Count & { name: string })[];
  caches: readonly { name: string; hits: number; misses: number }[];
};

/** Access to the log, for diagnosis. */
export type LogAccess = {
  file: string;
  level: string;
  /** From all sessions, latest last. */
  warnings(count: number): Promise<readonly { timestamp: string; level: string; message: string }[]>;
};

/** How much the vendor's prompt cache is used. */
export type PromptCacheUse = {
  /** All replies of the session, as counted by the vendor. */
  session: Usage;
  /** Null before the first reply. */
  last: Usage | null;
  /** The last request compared with the previous one; null before there are two. */
  compared: { gapMs: number; difference: { block: string; character: number } | null } | null;
  /** What the cache could have served and did not, oldest first. */
  misses: readonly { reason: string; tokens: number; costUsd: number | null }[];
};

/** A note about the user or this project. */
export type RememberedNote = {
  kind: 'user' | 'context' | 'decisions' | 'learnings' | 'commands' | 'corrections';
  text: string;
  /** When it was saved; null if a person wrote it into the file. */
  date: string | null;
  /** Sent in every session and never expires. */
  pinned: boolean;
};

/** Why a text was not saved, or null when it was. */
export type NotNoted = 'known' | 'secret' | 'gone' | null;

/** A suggestion drawn from past sessions. Nothing changes before `apply`. */
export type Suggestion = {
  what: 'rule' | 'convention' | 'instruction';
  text: string;
  because: string;
  apply(): Promise<void>;
  /** It is not suggested again until there is new evidence. */
  dismiss(): Promise<void>;
};

/** Notes kept across sessions. */
export type Memory = {
  folder: string;
  list(): RememberedNote[];
  remember(kind: RememberedNote['kind'], text: string): Promise<NotNoted>;
  /** Extracts notes from this conversation now. Null when no model is available. */
  learn(signal: AbortSignal): Promise<RememberedNote[] | null>;
  edit(note: RememberedNote, text: string): Promise<NotNoted>;
  forget(note: RememberedNote): Promise<NotNoted>;
  pin(note: RememberedNote, pinned: boolean): Promise<NotNoted>;
  suggestions(): Promise<Suggestion[]>;
  /** Remembers commands that tested or built the project, and forgets those that no longer exist. */
  noteChecks(checks: readonly { name: string; exitCode: number | null }[]): Promise<void>;
};

/** One MCP server as shown to the user. `trouble` says why it is not ready. */
export type McpServerState = {
  name: string;
  transport: 'stdio' | 'http' | 'sse';
  address: string;
  phase: 'connecting' | 'ready' | 'failed' | 'login' | 'off';
  trouble: string;
  tools: readonly { name: string; description: string }[];
  resources: readonly { uri: string; name: string }[];
  prompts: readonly { name: string; description: string }[];
  /** Its recent log output. */
  log: readonly string[];
};

export type McpServers = {
  list(): McpServerState[];
  /** Resolves when it is ready or has failed; false when there is no such server. */
  restart(name: string): Promise<boolean>;
  /** `show` is called with the URL the user must visit. */
  login(name: string, show: (url: string) => void): Promise<void>;
  /** The servers' prompts as slash commands. */
  commands(): readonly SlashCommand[];
  /** Resolves when all servers are ready or have failed, or after some seconds. */
  settled(): Promise<void>;
  /** A prompt with its `@server:uri` references resolved. */
  withResources(content: UserMessage['content']): Promise<UserMessage['content']>;
};

/**
 * For one run only: another model, and the only tools it may use. `command` is the custom command or skill that the
 * prompt comes from: what its file allows and forbids applies to the run.
 */
export type RunOptions = { model?: string; tools?: readonly string[]; command?: string };

/** A plugin as shown to the user; `trouble` says why it was not loaded. */
export type PluginState = {
  name: string;
  version: string;
  place: string;
  trouble: string;
  tools: readonly string[];
  hooks: readonly string[];
  commands: readonly string[];
};

/** Plugins and commands added by users and projects. */
export type Extensions = {
  /** Resolves when they are loaded. */
  plugins(): Promise<readonly PluginState[]>;
  skills(): Promise<readonly { name: string; description: string; source: string }[]>;
  hooks(): readonly { point: string; command: string }[];
  /** From plugins and Markdown files; those from plugins appear once loaded. */
  commands(): readonly SlashCommand[];
  /** The prompt for a line such as `/name args`; null when no Markdown file has that name. */
  promptFor(line: string): Promise<{ content: UserMessage['content']; options: RunOptions } | null>;
};

/** A setting that is not at its default, and where it was set. */
export type SettingState = { key: string; value: string; origin: string };

/** The result of one check. `next` says what to do about it. */
export type HealthCheck = { name: string; state: 'ok' | 'warn' | 'bad'; text: string; next?: string };

/** State of a git repository. `branch` is null for a detached HEAD; `hooks` would run on commit. */
export type RepositoryState = {
  branch: string | null;
  /** Most recently committed to first. */
  branches: string[];
  staged: string[];
  unstaged: string[];
  untracked: string[];
  hooks: string[];
};

/** A git repository, used only on the user's request. */
export type Repository = {
  /** The folder that was opened in it. */
  folder: string;
  /** Null outside a repository. */
  state(): Promise<RepositoryState | null>;
  /** Stages changes to tracked files. */
  stageChanged(): Promise<void>;
  /** A commit message for the staged changes, written by a model. */
  draft(wishes: string): Promise<string>;
  /** Runs the user's hooks, as git would. */
  commit(message: string): Promise<{ success: boolean; output: string }>;
  switchTo(branch: string, options: { create: boolean }): Promise<void>;
  /** Runs a read-only subagent; null when there is nothing to review. */
  review(wanted: string): Promise<{ what: string; text: string } | null>;
  /** Interrupts the model's work here; false when there is none. */
  interrupt(): boolean;
};

/** How the model answers; a change applies from the next request on. */
export type OutputStyles = {
  list(): readonly {
    name: string;
    description: string;
    source: 'built-in' | 'user' | 'project' | 'plugin';
  }[];
  /** The name of the selected one. */
  current(): string;
  /** False if there is no such style. */
  select(name: string): boolean;
};

/** What a slash command may do to the conversation and the screen. */
export type CommandContext = {
  commands: readonly SlashCommand[];
  cwd: string;
  /** Aborted when the user cancels the command. */
  signal: AbortSignal;
  print(text: string): void;
  /** Null when the input has ended or the command was cancelled. */
  ask(question: string): Promise<string | null>;
  /** Asks a question that only an explicit yes confirms. */
  confirm(question: string): Promise<boolean>;
  files: FileHistory;
  sessions: SessionActions;
  /** Prompts typed in this and other sessions, oldest first. */
  prompts(): readonly string[];
  spending: Spending;
  mode: ModeSwitch;
  permissions: PermissionState;
  window: ContextWindow;
  /** Absent if requests are not tracked. */
  cache?(): PromptCacheUse;
  /** Absent if there are no statistics. */
  figures?(): Promise<SessionFigures>;
  /** Absent in frontends without one. */
  log?: LogAccess;
  /** Absent when memory is disabled. */
  memory?: Memory;
  /** Absent if no server is configured. */
  mcp?: McpServers;
  /** Absent in frontends without them. */
  languageServers?: LanguageServers;
  /** That of the working directory, and those of the other folders that the user opened. Absent in frontends without them. */
  repositories?: readonly Repository[];
  /** Absent in frontends without them. */
  extensions?: Extensions;
  /** Absent in frontends without it. */
  effort?: EffortSwitch;
  /** Absent in frontends without them. */
  styles?: OutputStyles;
  /** The settings that are not at their defaults. */
  settings?(): readonly SettingState[];
  /** Shows and changes which files of other assistants are used; resolves with what to tell the user. */
  importSettings?(args: readonly string[]): Promise<string>;
  trustFolder?(args: readonly string[]): Promise<string>;
  /** Checks for common problems. */
  health?(): Promise<HealthCheck[]>;
  /**
   * A call on behalf of the user: judged, asked about and run like one of the model's. Resolves with its text
   * and whether it succeeded.
   */
  call?(name: string, input: unknown): Promise<{ success: boolean; text: string }>;
  /** Opens a folder for this session; resolves with what to tell the user. Absent where that is impossible. */
  addFolder?(folder: string): Promise<string>;
  /** Sent to the model as if typed by the user; resolves when the run has ended. */
  submit(content: UserMessage['content'], options?: RunOptions): Promise<void>;
  quit(): void;
};

/** Typed by the user as `/name args`. */
export type SlashCommand = {
  name: string;
  description: string;
  /** Its heading in `/help`; without one it is listed as a custom command. */
  group?: string;
  /**
   * `user`: it asks, so it is missing in headless runs. `terminal`: it leaves the session or changes what it works on,
   * which other frontends leave to the program that opened it.
   */
  needs?: 'user' | 'terminal';
  /**
   * People who are invited to a session of a server may use it: it stays within the session, and does nothing that a
   * prompt of theirs could not do. Without it, only the owner may.
   */
  forGuests?: true;
  execute(args: string[], context: CommandContext): Promise<void>;
};
