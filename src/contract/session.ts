import type { Message } from './message.ts';
import type { Permission, PermissionMode } from './permission.ts';
import type { SessionView } from './view.ts';

export type SessionSettings = {
  model: string;
  maxTokens?: number;
  temperature?: number;
  /** The mode it began in: the system prompt speaks of it for good. */
  mode?: PermissionMode;
};

/** What a subagent was started for: by `callId` of the session, or of the subagent `parent`. */
export type SubagentOrigin = { callId: string; agent: string; task: string; parent?: string };

export type Session = {
  id: string;
  workingDirectory: string;
  startedAt: string;
  messages: Message[];
  permissions: Permission[];
  settings: SessionSettings;
  /** Given by the user; without one, the first prompt stands for it. */
  title?: string;
  /** Kept whatever its age. */
  pinned?: true;
  /** The session this one was forked from, and how many of its messages came along. */
  parent?: { id: string; messages: number };
  /** What the model is shown of the messages; without it, all of them. */
  view?: SessionView;
  /** Of a subagent's own conversation. */
  subagent?: SubagentOrigin;
  /** The conversations of its subagents, the oldest first, where they were asked for. */
  subagents?: Session[];
};

export type SessionSummary = Pick<
  Session,
  'id' | 'workingDirectory' | 'startedAt' | 'title' | 'pinned' | 'parent'
> & {
  /** The last time something was written. */
  updatedAt: string;
  /** The first line of the first prompt. */
  firstPrompt: string;
  messageCount: number;
  bytes: number;
  /** Null when the price of a model was unknown. */
  costUsd: number | null;
};
