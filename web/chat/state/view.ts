import type {
  AvailableCommand,
  ContentBlock,
  PermissionOption,
  PlanEntry,
  SessionConfigOption,
  SessionModeState,
  StopReason,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
  UsageUpdate,
} from '@agentclientprotocol/sdk';
import type {
  ConnectionState,
  OpenedSession,
  Participant,
  PermissionAsked,
  QuestionAsked,
  WaitingPrompt,
} from '../connection.ts';

/** Everything the chat shows. Never changed in place: what is the same object looks the same. */
export type View = {
  connection: { state: ConnectionState; message?: string | undefined };
  session: OpenedSession | null;
  items: readonly Item[];
  /** The turn that runs, if one does. */
  turn: { startedAt: number } | null;
  /** Questions to the user, oldest first. */
  asks: readonly Ask[];
  /** Prompts that no run has taken yet. */
  waiting: readonly WaitingPrompt[];
  /** Prompts of this chat that have not arrived yet. */
  sending: readonly WaitingPrompt[];
  plan: readonly PlanEntry[];
  commands: readonly AvailableCommand[];
  modes: SessionModeState | null;
  options: readonly SessionConfigOption[];
  usage: Pick<UsageUpdate, 'used' | 'size' | 'cost'> | null;
  participants: readonly Participant[];
  /** Ids of the participants who are writing. */
  typing: readonly string[];
  /** Number of the last event, and of the last item ever made. */
  seq: number;
  lastKey: number;
  /** Count how often the changes and the list of sessions became out of date. */
  changesVersion: number;
  sessionsVersion: number;
};

export type Ask = ({ type: 'permission' } & PermissionAsked) | ({ type: 'question' } & QuestionAsked);

/** One entry of the transcript. `key` is unique and grows. */
export type Item =
  | UserItem
  | MessageItem
  | CallItem
  | {
      type: 'notice';
      key: number;
      severity: 'info' | 'warning' | 'error';
      text: string;
      detail?: string | undefined;
    }
  | { type: 'failure'; key: number; message: string; hint?: string | undefined }
  | { type: 'stopped'; key: number; reason: StopReason }
  | { type: 'answer'; key: number; question: string; answer: string | null; by?: string | undefined };

export type UserItem = {
  type: 'user';
  key: number;
  messageId?: string | undefined;
  text: string;
  attachments: readonly ContentBlock[];
  by?: string | undefined;
};

/** `thought` is what the model thinks, `message` what it says. */
export type MessageItem = {
  type: 'message' | 'thought';
  key: number;
  messageId?: string | undefined;
  text: string;
  images: readonly ContentBlock[];
  startedAt: number;
  /** When its last part came. */
  endedAt: number;
};

export type CallItem = {
  type: 'call';
  key: number;
  callId: string;
  title: string;
  kind: ToolKind;
  status: ToolCallStatus;
  content: readonly ToolCallContent[];
  locations: readonly ToolCallLocation[];
  startedAt: number;
  endedAt?: number | undefined;
  /** What the command has printed so far, if it comes in parts. */
  printed: string;
  /** How the user answered the question about it. */
  decision?: { option: PermissionOption | null; by?: string | undefined } | undefined;
  /** Calls of the subagent that this call started. */
  children: readonly CallItem[];
};

export const emptyView: View = {
  connection: { state: 'connecting' },
  session: null,
  items: [],
  turn: null,
  asks: [],
  waiting: [],
  sending: [],
  plan: [],
  commands: [],
  modes: null,
  options: [],
  usage: null,
  participants: [],
  typing: [],
  seq: 0,
  lastKey: 0,
  changesVersion: 0,
  sessionsVersion: 0,
};

export function isWatching({ session }: View): boolean {
  return session?.role === 'viewer' || session?.readOnly !== undefined;
}
