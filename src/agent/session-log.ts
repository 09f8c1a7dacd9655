import type { AgentEvent } from '../contract/event.ts';
import type { Message, ToolMessage } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import type { TextSource } from '../contract/provenance.ts';
import type { ViewChange } from '../contract/view.ts';

/** Saved before a call runs and before its answer is emitted. `changes` is false for a read-only call. */
export type CallLog = {
  started(callId: string, effect: { changes: boolean }): Promise<void>;
  /** The answer may still wait for its position among the messages. */
  answered(message: ToolMessage): Promise<void>;
};

/** Where a session is saved. */
export type SessionLog = CallLog & {
  /** Saves the session even if no message follows. */
  keep(): Promise<void>;
  message(message: Message): Promise<void>;
  /** Receives every other event before it is shown, so that a partial reply survives a crash. */
  watch(event: AgentEvent): Promise<void>;
  grant(permission: Permission): Promise<void>;
  ungrant(pattern: string): Promise<void>;
  source(source: TextSource): Promise<void>;
  /** Records a change to what the model is shown. */
  view(change: ViewChange): Promise<void>;
  close(): Promise<void>;
};
