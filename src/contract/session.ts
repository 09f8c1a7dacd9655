import type { Message } from './message.ts';
import type { Answer, Permission, PermissionMode } from './permission.ts';
import type { TextSource } from './provenance.ts';
import type { EffortChoice } from './request/effort.ts';
import type { SandboxLevel } from './sandbox.ts';
import { rewindView, type SessionView } from './view.ts';

export type SessionSettings = {
  model: string;
  maxTokens?: number;
  temperature?: number;
  /** The mode at the start of the session. */
  mode?: PermissionMode;
};

/** Why a subagent was started: by `callId` of the session, or of the subagent `parent`. */
/** `worktree`: the folder with the copy of the project that it works in. */
export type SubagentOrigin = {
  callId: string;
  agent: string;
  task: string;
  parent?: string;
  worktree?: string;
};

/** What the user chose for this session; what is absent follows the settings. */
export type SessionChoices = {
  model?: string;
  mode?: PermissionMode;
  effort?: EffortChoice;
  sandbox?: SandboxLevel;
};

/** The answer to a question about a call, and the name of who gave it. */
export type CallDecision = { choice: Answer['choice']; by: string };

export type Session = {
  id: string;
  workingDirectory: string;
  startedAt: string;
  messages: Message[];
  permissions: Permission[];
  settings: SessionSettings;
  /** Set by the user; if absent, the first prompt is used. */
  title?: string;
  /** Never expires. */
  pinned?: true;
  /** The session this one was forked from, and how many of its messages were copied. */
  parent?: { id: string; messages: number };
  /** What the model is shown of the messages; if absent, all of them. */
  view?: SessionView;
  /** Where what was read came from, as far as it matters; those of subagents included. */
  sources?: TextSource[];
  /** How calls were decided in a session with several participants, by their ids. */
  decisions?: Record<string, CallDecision>;
  /** In an editor or on a server, where they are restored when the session is opened again. */
  choices?: SessionChoices;
  /** For the conversation of a subagent. */
  subagent?: SubagentOrigin;
  /** The conversations of its subagents, oldest first, if requested. */
  subagents?: Session[];
};

export type SessionSummary = Pick<
  Session,
  'id' | 'workingDirectory' | 'startedAt' | 'title' | 'pinned' | 'parent'
> & {
  /** Time of the last write. */
  updatedAt: string;
  /** The first line of the first prompt. */
  firstPrompt: string;
  messageCount: number;
  bytes: number;
  /** Null when the price of a model was unknown. */
  costUsd: number | null;
};

/** The messages of a session that were written here: those of an imported session come after the ones it brought. */
export function ownMessages({ messages, sources = [] }: Pick<Session, 'messages' | 'sources'>): Message[] {
  return messages.slice(Math.max(0, ...sources.map((source) => source.imported ?? 0)));
}

/** Removes the messages from this index on, and what the model was shown of them. */
export function rewindSession(session: Pick<Session, 'messages' | 'view'>, keep: number): void {
  session.messages.length = Math.min(session.messages.length, Math.max(0, keep));
  if (session.view) session.view = rewindView(session.view, session.messages.length);
}
