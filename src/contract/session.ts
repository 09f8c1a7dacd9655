import type { Message } from './message.ts';
import type { Permission } from './permission.ts';

export type SessionSettings = { model: string; maxTokens?: number; temperature?: number };

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
