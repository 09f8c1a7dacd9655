import type { Controller } from '../agent/controller.ts';
import type {
  ContextWindow,
  Extensions,
  McpServers,
  Memory,
  ModeSwitch,
  PromptCacheUse,
  Repository,
  Spending,
  Standing,
} from '../contract/command.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import type { UndoStore } from '../session/undo/undo-store.ts';
import type { UserCalls } from './extensions/user-calls.ts';
import type { Privacy } from './safety/privacy.ts';

/** One assembled session. */
export type Assistant = UserCalls & {
  controller: Controller;
  /** Placeholders for secrets, in what leaves this machine and in what others may see. */
  privacy: Pick<Privacy, 'hide' | 'outgoing'>;
  undo: UndoStore;
  mode: ModeSwitch;
  permissions: Standing;
  window: ContextWindow;
  spending: Spending;
  cache(): PromptCacheUse;
  /** Absent when it is switched off. */
  memory?: Memory;
  repository: Repository;
  /** Absent where no server is set up. */
  mcp?: McpServers;
  extensions: Extensions;
  /** Takes notes from this session, as far as the time allows. */
  noteAtEnd(signal: AbortSignal): Promise<void>;
  /** What commands run in; a fallback is reported as a notice when it is first found. */
  sandbox(): Promise<SandboxState>;
  /** How many commands run on in the background. */
  shells(): number;
  /** Worth knowing at the start, and no trouble. */
  hints: readonly string[];
  /** Ends the run, saves the session, and ends what commands left running. */
  close(): Promise<void>;
};
