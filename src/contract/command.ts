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
  files: { path: string; change: 'restore' | 'remove'; added: number; removed: number }[];
  conflicts: { path: string; because: string }[];
  apply(): Promise<UndoReport>;
};

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
  /** Goes on in another session, named by its id, the first characters of it, or its title. */
  goTo(wanted: string): Promise<void>;
  /** Writes it to a file, in the format that the name asks for. Resolves with the file. */
  exportTo(file: string): Promise<string>;
};

/** What a slash command may do to the conversation and to the screen. */
export type CommandContext = {
  commands: readonly SlashCommand[];
  cwd: string;
  print(text: string): void;
  /** Null when the input has ended. */
  ask(question: string): Promise<string | null>;
  /** Puts a question that only a plain yes agrees to. */
  confirm(question: string): Promise<boolean>;
  files: FileHistory;
  sessions: SessionDesk;
  /** What was typed in this session and the others, the oldest first. */
  prompts(): readonly string[];
  usage(): { inputTokens: number; outputTokens: number; costUsd: number | null };
  mode: ModeSwitch;
  permissions: Standing;
  quit(): void;
};

/** Typed by the user as `/name args`. */
export type SlashCommand = {
  name: string;
  description: string;
  execute(args: string[], context: CommandContext): Promise<void>;
};
