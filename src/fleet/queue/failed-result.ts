import type { TaskResult } from '../task.ts';
import type { QueuedTask } from './messages.ts';

/** The result of a task that did not run. */
export function failedResult(
  { task, session }: QueuedTask,
  {
    failure,
    reason,
    startedAt = new Date(),
  }: { failure: TaskResult['failure']; reason: string; startedAt?: Date },
): TaskResult {
  return {
    task: task.id,
    status: 'failed',
    failure,
    reason,
    answer: '',
    session,
    costUsd: 0,
    tokens: 0,
    turns: 0,
    startedAt: startedAt.toISOString(),
    durationMs: 0,
    checks: [],
    refusals: 0,
    filesChanged: 0,
    labels: task.labels,
    variables: task.variables,
  };
}
