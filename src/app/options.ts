import type { EffortChoice } from '../contract/request/effort.ts';
import type { Tier } from '../contract/request/tier.ts';
import type { SandboxLevel } from '../contract/sandbox.ts';

/** Options of one conversation, set at its start, for every frontend. */
export type SessionOptions = {
  model?: string;
  /** A named account: `work`, or `anthropic=work` for one provider only. */
  account?: string;
  offline?: boolean;
  maxTurns?: number;
  budget: string[];
  mode?: 'default' | 'accept-edits' | 'plan' | 'auto' | 'read-only';
  allow: string[];
  deny: string[];
  addDir: string[];
  continue?: boolean;
  /** True when no session is named: the user selects one. */
  resume?: string | true;
  fork?: boolean;
  /** Resume a session that belongs to another folder. */
  forceDir?: boolean;
  /** True when it has no name yet. */
  worktree?: string | true;
  trust?: boolean;
  /** For a new session; a UUID. */
  sessionId?: string;
  /** False: the session is not saved. */
  sessionPersistence?: boolean;
  fallbackModel?: string;
  effort?: EffortChoice;
  tier?: Tier;
  sandbox?: SandboxLevel;
  /** Replaces the instructions of the system prompt; `…File` names a file with them. */
  systemPrompt?: string;
  systemPromptFile?: string;
  appendSystemPrompt?: string;
  appendSystemPromptFile?: string;
  /** More MCP servers: files or inline JSON. */
  mcpConfig?: string[];
  /** Only those. */
  strictMcpConfig?: boolean;
  /** The only tools that the model is offered. */
  tools?: string[];
  neverAsk?: boolean;
  /** The flag that asked to skip permissions, as the user wrote it. */
  skipping?: string;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  metricsPort?: number;
};
