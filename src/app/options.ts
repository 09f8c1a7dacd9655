/** Options of one conversation, set at its start, for every frontend. */
export type SessionOptions = {
  model?: string;
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
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  metricsPort?: number;
};
