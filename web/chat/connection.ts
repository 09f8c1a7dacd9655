import type {
  ContentBlock,
  PermissionOption,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';

/**
 * What the chat can do, and what it is told. Everything it passes on or receives is plain JSON, so that a connection
 * can be a bridge between windows. A method that fails rejects with an `Error` whose message says what to do.
 */
export type ChatConnection = {
  /** Returns how to stop listening. Events come in order; those of the past first. */
  onEvent(listener: (event: ChatEvent) => void): () => void;

  /** Sends a prompt; during a turn it steers the turn. Resolves when it was accepted, not when it was answered. */
  prompt(blocks: ContentBlock[]): Promise<void>;
  cancel(): Promise<void>;
  setMode(id: string): Promise<void>;
  setOption(id: string, value: string | boolean): Promise<void>;
  /** Null declines without choosing an option. */
  answerPermission(requestId: string, optionId: string | null): Promise<void>;
  answerQuestion(requestId: string, answer: string | null): Promise<void>;
  /** The user is writing, or stopped. */
  typing?(isTyping: boolean): void;

  /** Files whose names match, best first. */
  completeFile(query: string): Promise<FileMatch[]>;
  listSessions(): Promise<SessionSummary[]>;
  openSession(id: string): Promise<void>;
  newSession(): Promise<void>;

  /** What the session changed and nobody has accepted or reverted. */
  changes(): Promise<ChangedFile[]>;
  acceptHunks?(path: string, ids: string[]): Promise<void>;
  revertHunks?(path: string, ids: string[]): Promise<void>;
  /** Shows a changed file in the editor's own view of differences. */
  openDiff?(path: string): Promise<void>;
  /** Missing where there is no editor: paths are then plain text. Lines count from 1. */
  openFile?(path: string, line?: number): Promise<void>;
  /** A web address, http or https. */
  openLink(url: string): Promise<void>;
};

/** A file for `@`. `path` is relative to the session's folder. */
export type FileMatch = { path: string; isFolder?: boolean };

export type SessionState = 'working' | 'waiting' | 'idle' | 'done' | 'failed';

export type SessionSummary = {
  id: string;
  title: string | null;
  cwd: string;
  /** ISO 8601. */
  updatedAt?: string | undefined;
  state?: SessionState | undefined;
  costUsd?: number | undefined;
  lastLine?: string | undefined;
};

export type ChangedFile = {
  path: string;
  status: 'added' | 'modified' | 'deleted';
  hunks: ChangedHunk[];
};

/** Lines as in a unified diff, each with its sign (space, `+` or `-`). */
export type ChangedHunk = { id: string; oldStart: number; newStart: number; lines: string[] };

export type Role = 'owner' | 'editor' | 'viewer';
export type Participant = { id: string; name: string; role: Role };

/** The session the chat shows. Viewers can only watch. */
export type OpenedSession = {
  id: string;
  title?: string | null;
  cwd: string;
  modes?: SessionModeState | null;
  configOptions?: SessionConfigOption[] | null;
  role?: Role;
  /** Which participant this chat is. */
  you?: string;
  /** Why it can be read, but not continued. */
  readOnly?: string | undefined;
};

export type PermissionAsked = {
  requestId: string;
  /** Exactly what will happen. */
  toolCall: ToolCallUpdate;
  options: PermissionOption[];
};

/** A prompt that was sent during a run; `by` is the name of who sent it. `held`: the run ended without it. */
export type WaitingPrompt = { text: string; by?: string; held?: true };

export type QuestionAsked = { requestId: string; question: string; choices: string[] };

/**
 * One thing that happened. `seq` numbers the events of a session: an event whose number the chat has seen is ignored.
 * `by` is the name of the participant who did it, `at` its time in milliseconds since 1970.
 */
export type ChatEvent = { seq?: number; by?: string; at?: number } & (
  | { type: 'connection'; state: ConnectionState; message?: string }
  /** Another session is shown from now on, or the same one is told again from its beginning: the chat starts empty. */
  | { type: 'session'; session: OpenedSession }
  /** No session is shown. */
  | { type: 'session_closed' }
  /** Prompts of the user are among them (`user_message_chunk`), those of this chat included. */
  | { type: 'update'; update: SessionUpdate }
  | { type: 'turn_started' }
  | { type: 'turn_ended'; stopReason: StopReason }
  | { type: 'turn_failed'; message: string; hint?: string }
  | { type: 'permission_asked'; request: PermissionAsked }
  | { type: 'permission_settled'; requestId: string; optionId: string | null }
  /** How a question about a call of the past was answered. */
  | { type: 'call_decided'; callId: string; option: PermissionOption | null }
  | { type: 'question_asked'; request: QuestionAsked }
  /** `question`: for those who were not asked. */
  | { type: 'question_settled'; requestId: string; answer: string | null; question?: string }
  /** All prompts that no run has taken yet. */
  | { type: 'prompts_waiting'; prompts: WaitingPrompt[] }
  /** All prompts of this chat that the other side has not accepted yet. */
  | { type: 'prompts_sending'; prompts: WaitingPrompt[] }
  | { type: 'participants'; participants: Participant[] }
  | { type: 'typing'; participant: string; isTyping: boolean }
  /** `changes()` would return something else now. */
  | { type: 'changes_changed' }
  | { type: 'sessions_changed' }
  /** Something to add to the prompt being written, such as a selection in the editor. */
  | { type: 'compose'; text?: string; attachments?: ContentBlock[] }
);

export type ConnectionState = 'connecting' | 'online' | 'offline';
