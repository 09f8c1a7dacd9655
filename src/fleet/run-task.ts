import type { Task, TaskResult } from './task.ts';

export type TaskPlace = {
  /** Id of the batch, a part of the names of branches and worktrees. */
  batch: string;
  /** The folder for patch files. */
  patches: string;
  /** The folder for worktrees and copies; beside the repository or folder if absent. */
  trees?: string;
  /** How this program is started. */
  program: readonly string[];
  env: NodeJS.ProcessEnv;
};

/** Proves that this process still owns the task: checked before its changes are kept. */
export type Fence = { token: number; isCurrent(): Promise<boolean> };

export type TaskEvent =
  /** The worktree is there, and the child process starts. */
  | { type: 'started'; tree: string }
  | { type: 'spent'; costUsd: number | null; tokens: number }
  | { type: 'note'; text: string };

export type RunTaskOptions = {
  place: TaskPlace;
  /** Chosen by the caller and durable before the call. `resume`: an earlier call may have begun it. */
  session: { id: string; resume: boolean };
  /** Aborted: the child is ended, session and worktree stay for a resume, and the result's failure is `interrupted`. */
  signal: AbortSignal;
  fence?: Fence;
  /** Environment variables that let the child take part in the shared budget. */
  budget?: Readonly<Record<string, string>>;
  onEvent?(event: TaskEvent): void;
};

/**
 * Runs one task in a worktree of its own, as a headless run in a child process, and keeps its changes as a
 * branch and a patch. Never rejects: whatever goes wrong is the task's result.
 */
export async function runTask(task: Task, options: RunTaskOptions): Promise<TaskResult> {
  throw new Error(`Not built yet: ${task.id} ${options.session.id}`);
}
