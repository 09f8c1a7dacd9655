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
};

export type SessionSummary = Pick<Session, 'id' | 'workingDirectory' | 'startedAt'> & {
  messageCount: number;
};
