import type {
  PermissionOption,
  SessionConfigOption,
  SessionModeState,
  SessionNotification,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { Role } from './identity.ts';

/** Where it accepts WebSockets. */
export const SOCKET_PATH = '/acp';

/** Closes a connection whose access has ended. Clients do not connect again. */
export const ACCESS_ENDED = 4401;

/**
 * What the server offers beyond the protocol, for sessions with several participants. Names and types only, so
 * that clients can use this file as it is.
 */
export const serverMethods = {
  /** Opens a saved session, with the options in `_meta.aca` as for `session/new`. */
  open: '_aca/session/open',
  /** Watches a session. Opens it first if no one has. */
  attach: '_aca/session/attach',
  /** Stops watching. The session goes on. */
  detach: '_aca/session/detach',
  /** Continues a run that was interrupted, without a new prompt. */
  resumeRun: '_aca/session/continue',
  /** All sessions. From then on, `sessionsChanged` is sent. */
  overview: '_aca/sessions/overview',
  openTerminal: '_aca/terminal/open',
  closeTerminal: '_aca/terminal/close',
} as const;

export const serverNotifications = {
  /** To the client. */
  participants: '_aca/participants',
  sessionsChanged: '_aca/sessions/changed',
  /** Many of `session/update`, for clients that asked for it. */
  updates: '_aca/session/updates',
  terminalOutput: '_aca/terminal/output',
  terminalClosed: '_aca/terminal/closed',
  /** In both directions. */
  typing: '_aca/typing',
  /** To the server. */
  terminalInput: '_aca/terminal/input',
  terminalResize: '_aca/terminal/resize',
  terminalAudio: '_aca/terminal/audio',
} as const;

/** Asked of the client that owns a terminal. */
export const terminalActions = {
  /** Opens the user's editor. */
  edit: '_aca/terminal/edit',
  /** Answered when the client was continued. */
  suspend: '_aca/terminal/suspend',
  /** Starts the recorder; `terminalAudio` follows. */
  record: '_aca/terminal/record',
  endRecording: '_aca/terminal/end-recording',
} as const;

/** A position in the events of a session. Another `epoch` means that the server was restarted. */
export type Position = { epoch: string; seq: number };

/** `batches`: a conversation that is sent again comes as `updates`, which costs both sides less. */
export type AttachParams = { sessionId: string; after?: Position | undefined; batches?: boolean | undefined };

/** In order, each as in `session/update`. */
export type SessionUpdates = { sessionId: string; updates: Pick<SessionNotification, 'update' | '_meta'>[] };

/** `reset`: what was missed is not known any more. The conversation is sent again, after a `reset` event. */
export type AttachResult = Position & {
  role: Role;
  /** Which of the participants this client is. */
  you: string;
  participants: ParticipantInfo[];
  reset: boolean;
  state: SessionState;
  title: string;
  cwd: string;
  modes: SessionModeState;
  configOptions: SessionConfigOption[];
  /** Why the session can be read, but not continued. */
  readOnly?: string;
};

export type ParticipantInfo = { id: string; name: string; role: Role };
export type ParticipantsChanged = { sessionId: string; participants: ParticipantInfo[] };

/** `participant` is set by the server. */
export type Typing = { sessionId: string; isTyping: boolean; participant?: ParticipantInfo };

/** In `_meta.aca` of `session/update`. */
export type UpdateMeta = {
  /** Absent for what is sent again from the saved conversation. */
  seq?: number;
  /** The name of the participant who did it. */
  by?: string;
  /** Milliseconds since 1970. */
  at?: number;
  /** Of a `user_message_chunk`: the prompt it belongs to. */
  promptId?: string;
  /** Of a saved `tool_call`: how the question about it was answered. */
  decision?: { optionId: PermissionOption['optionId']; by: string };
  /** What the protocol has no update for; the update itself says nothing then. */
  event?: SessionTurnEvent;
};

export type SessionTurnEvent =
  /** The conversation is sent again from its beginning: forget what was sent before. */
  | { type: 'reset' }
  /** Everything until the position in the answer was sent again. */
  | { type: 'caught_up' }
  /** The end of the conversation was removed. Clients get a `reset`, and the conversation as it is now. */
  | { type: 'rewound' }
  /** All prompts that wait for the next step of the run, or for its end. */
  | { type: 'prompts_waiting'; prompts: WaitingPrompt[] }
  | { type: 'turn_started' }
  | { type: 'turn_ended'; stopReason: StopReason }
  | { type: 'turn_failed'; message: string }
  | { type: 'permission_asked'; requestId: string; toolCallId: string }
  /** `optionId` is null if the question was withdrawn. */
  | { type: 'permission_settled'; requestId: string; optionId: PermissionOption['optionId'] | null }
  /** A question in words, or with a yes or no. Whoever may answer is asked by a request of its own. */
  | { type: 'question_asked'; requestId: string; question: string }
  /** `answer` is null if it was declined or withdrawn. */
  | { type: 'question_settled'; requestId: string; question: string; answer: string | null };

/**
 * In `_meta.aca` of `session/prompt`. `after`: it waits for the end of the current run. `promptId`: unique; the session
 * has accepted the prompt when it names the id, and one that is sent again with the same id does not run again.
 */
export type PromptMeta = { after?: true | undefined; promptId?: string | undefined };

/** In `_meta.aca` of `elicitation/create`: how `question_settled` names it. */
export type QuestionMeta = { requestId: string };

/**
 * `from` is the id of the participant who sent it, `by` the name. `held`: it was not taken before the server ended; it goes
 * with the next prompt, or with what is continued.
 */
export type WaitingPrompt = {
  text: string;
  from?: string;
  by?: string;
  promptId?: string;
  held?: true;
};

/** In `_meta.aca` of `session/request_permission`. Clients send it back in the `_meta` of their answer. */
export type PermissionMeta = {
  requestId: string;
  /** Of the exact call: an answer with another digest is refused. */
  digest: string;
};

/**
 * `waiting`: for an answer. `done` and `failed`: how the last run ended. `interrupted`: the server ended during a run,
 * which can be continued.
 */
export type SessionState = 'working' | 'waiting' | 'idle' | 'done' | 'failed' | 'interrupted';

export type SessionOverview = {
  id: string;
  title: string;
  cwd: string;
  state: SessionState;
  /** Null if the price of a model is unknown. */
  costUsd: number | null;
  /** The end of the last answer. */
  lastLine: string;
  /** ISO 8601. */
  updatedAt: string;
  participants: number;
};

/** `env`: what a program needs to know about the terminal. */
export type OpenTerminalParams = {
  sessionId: string;
  columns: number;
  rows: number;
  env: Record<string, string>;
};
export type OpenTerminalResult = { terminalId: string };
export type TerminalData = { terminalId: string; data: string };
export type TerminalSize = { terminalId: string; columns: number; rows: number };
/** `message` is for the user. `next` is the session in which this terminal continues, if it does. */
export type TerminalClosed = { terminalId: string; message: string; next: string | null };
/** What to edit, and what it became: null when nothing was changed. */
export type TerminalText = { terminalId: string; text: string };
export type EditedText = { text: string | null };
/** The name of the recorder, or why there is none. */
export type StartedRecording = { name: string } | { refused: { message: string; hint: string } };
/** Samples in Base64. `ended`: nothing follows; why, if the recorder failed. */
export type TerminalAudio = { terminalId: string; data: string; ended?: string | undefined };
