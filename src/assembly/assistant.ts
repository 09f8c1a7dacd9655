import type { Controller } from '../agent/controller.ts';
import type { LanguageServers } from '../contract/code-intelligence.ts';
import type {
  ContextWindow,
  Extensions,
  McpServers,
  Memory,
  ModeSwitch,
  OutputStyles,
  PermissionState,
  PromptCacheUse,
  Repository,
  Spending,
} from '../contract/command.ts';
import type { EffortSwitch } from '../contract/request/effort.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import type { UndoStore } from '../session/undo/undo-store.ts';
import type { AttachMentions } from './extensions/attach-mentions.ts';
import type { UserCalls } from './extensions/user-calls.ts';
import type { Privacy } from './safety/privacy.ts';

/** One assembled session. */
export type Assistant = UserCalls & {
  controller: Controller;
  /** Replaces secrets by placeholders, in what leaves this machine and in what others can see. */
  privacy: Pick<Privacy, 'hide' | 'outgoing'>;
  undo: UndoStore;
  mode: ModeSwitch;
  permissions: PermissionState;
  window: ContextWindow;
  styles: OutputStyles;
  effort: EffortSwitch;
  spending: Spending;
  cache(): PromptCacheUse;
  /** Absent if disabled. */
  memory?: Memory;
  /** That of the working directory first. */
  repositories: readonly Repository[];
  /** Absent if no server is configured. */
  mcp?: McpServers;
  languageServers: LanguageServers;
  extensions: Extensions;
  /** Called with what the user typed, before it is submitted. */
  attach: AttachMentions;
  /** Extracts notes from this session, within the time limit. */
  noteAtEnd(signal: AbortSignal): Promise<void>;
  /** The sandbox that commands run in; a fallback is reported as a notice when first detected. */
  sandbox(): Promise<SandboxState>;
  /** All tools that the model may call; those of servers and extensions once they are ready. */
  toolNames(): readonly string[];
  /** Writes the conversation so far to a file, in the format of Claude Code; resolves with its path. */
  transcript(): Promise<string>;
  /** The number of commands running in the background. */
  shells(): number;
  /** Useful at startup, not a problem. */
  hints: readonly string[];
  /** Ends the run, saves the session, and stops background commands. */
  close(): Promise<void>;
};
