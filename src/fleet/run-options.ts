import type { ProcessKeeper } from '../sandbox/shell/process-keeper.ts';
import type { Source } from '../sandbox/worktrees/origin.ts';
import type { Worktree } from '../sandbox/worktrees/worktree.ts';
import type { TaskResult, TaskSource } from './task.ts';

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

/** A commit that was added to a repository, or to the clone of one, for a branch. */
type Published = { gitDir: string; branch: string; commit: string | null };
/**
 * Sets the branch where it belongs. Returns the commit that counts: an earlier run of the task may have published one. Without a commit, that one
 * is all there is; null if there is none either.
 */
export type Publish = (branch: Published) => Promise<string | null>;

/** Proves that this process still owns the task: checked before its changes are kept. */
type Fence = { token: number; isCurrent(): Promise<boolean> };

export type TaskEvent =
  /** The worktree is there, and the child process starts. `session` differs if the wanted one could not be resumed. */
  { type: 'started'; tree: string; session: string } | { type: 'note'; text: string };

/** `isNew`: nothing has run in it. */
export type OpenedTree = { tree: Worktree; isNew: boolean };

export type RunTaskOptions = {
  place: TaskPlace;
  /** Chosen by the caller and durable before the call. `resume`: an earlier call may have started it. */
  session: { id: string; resume: boolean };
  /** When it was started, and how long it took, before it was interrupted. */
  before?: Pick<TaskResult, 'startedAt' | 'durationMs'>;
  /** Aborted: the child is ended, session and worktree stay for a resume, and the result's failure is `interrupted`. */
  signal: AbortSignal;
  fence?: Fence;
  /** The worktree, if the caller has opened it already. */
  opened?: Promise<OpenedTree>;
  /** A worktree of this source that nothing has run in, if there is one already. */
  takeSpare?(source: TaskSource): Promise<Worktree | null>;
  /** Called when the run has succeeded, and only its changes and its result are still being kept. */
  onDelivery?(): void;
  /** Whether the task runs again after such a failure: then its changes are not kept. */
  willRetry?(failure: NonNullable<TaskResult['failure']>): boolean;
  /** Environment variables that let the child take part in the shared budget. */
  budget?: Readonly<Record<string, string>>;
  /** Called with the commit of a task, after the fence was checked; without it, the branch is set regardless of others. */
  publish?: Publish;
  onEvent?(event: TaskEvent): void;
  /** Makes a final result durable, before the worktree is removed: a task that is killed in between does not run again. */
  onResult?(result: TaskResult): Promise<void> | void;
};
