import type { ProcessKeeper } from '../sandbox/shell/process-keeper.ts';
import type { Source } from '../sandbox/worktrees/origin.ts';
import type { TaskResult } from './task.ts';

export type TaskPlace = {
  /** Id of the batch, a part of the names of branches and worktrees. */
  batch: string;
  /** The folder for patch files. */
  patches: string;
  /** The folder for worktrees and copies; beside the repository or folder if absent. */
  trees?: string;
  /** Repositories and commits that were already found, for the tasks to come. */
  sources: Map<string, Promise<Source>>;
  /** How this program is started. */
  program: readonly string[];
  /** Ends the child with this process, however that ends. */
  keeper: ProcessKeeper;
  env: NodeJS.ProcessEnv;
  /** How changes are kept: on a branch and as a patch, or as a patch only. */
  changes: 'branch' | 'patch';
  /** The settings of the repositories apply. */
  trust?: boolean;
};

/** A branch that was made in a repository, or in the clone of one. */
type Published = { gitDir: string; branch: string; commit: string; base: string };
/** Returns the commit that counts: an earlier run of the task may have published one. */
export type Publish = (branch: Published) => Promise<string>;

/** Proves that this process still owns the task: checked before its changes are kept. */
type Fence = { token: number; isCurrent(): Promise<boolean> };

export type TaskEvent =
  /** The worktree is there, and the child process starts. `session` differs if the wanted one could not be resumed. */
  { type: 'started'; tree: string; session: string } | { type: 'note'; text: string };

export type RunTaskOptions = {
  place: TaskPlace;
  /** Chosen by the caller and durable before the call. `resume`: an earlier call may have begun it. */
  session: { id: string; resume: boolean };
  /** Aborted: the child is ended, session and worktree stay for a resume, and the result's failure is `interrupted`. */
  signal: AbortSignal;
  fence?: Fence;
  /** Environment variables that let the child take part in the shared budget. */
  budget?: Readonly<Record<string, string>>;
  /** Called with the branch of a changed task, after the fence was checked; the clone of a URL is gone afterwards. */
  publish?: Publish;
  onEvent?(event: TaskEvent): void;
  /** Makes a final result durable, before the worktree is removed: a task that is killed in between does not run again. */
  onResult?(result: TaskResult): Promise<void> | void;
};
