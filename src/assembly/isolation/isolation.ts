import type { CallReporter, RouterDeps } from '../../agent/router-deps.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { CallLimits } from '../../contract/permission.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { Worktree } from '../../sandbox/worktrees/worktree.ts';
import type { ProjectInstructions } from '../window/project-instructions.ts';

/** An agent that works in a copy of the project and cannot write anywhere else. */
export type IsolatedAgent = {
  worktree: Worktree;
  router: RouterDeps;
  definitions(): readonly ToolDefinition[];
  /** Instructions by the paths of the project. */
  notes(of: ProjectInstructions['notesFor']): ProjectInstructions['notesFor'];
  mode: ModeSwitch;
  /** Ends its commands. */
  close(): Promise<void>;
};

/** A finished subagent. */
export type MergeRequest = {
  worktree: Worktree;
  label: string;
  task: string;
  limits?: CallLimits;
  reporter: Pick<CallReporter, 'callId' | 'emit'>;
  signal: AbortSignal;
};

/** How subagents work in copies of the project. */
export type Isolation = {
  /** A text says why it is not possible. */
  open(at: string, signal: AbortSignal): Promise<IsolatedAgent | string>;
  /** Says what became of its changes. */
  merge(request: MergeRequest): Promise<string>;
  keepUnfinished(worktree: IsolatedAgent['worktree']): Promise<string>;
};
