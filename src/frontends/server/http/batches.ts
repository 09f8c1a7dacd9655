import { RequestError } from '@agentclientprotocol/sdk';
import { type BatchState, isBatchRunning, listBatches, readBatch } from '../../../fleet/batch/batch-store.ts';
import { summarize } from '../../../fleet/batch/summary.ts';
import type { Task, TaskResult } from '../../../fleet/task.ts';
import type { BatchesResult, BatchOverview, BatchResult, BatchTask } from '../owner-methods.ts';

const PROMPT_CHARACTERS = 200;
const REASON_CHARACTERS = 1_000;
/** Older ones are in `aca batch --list`. */
const MOST_BATCHES = 50;

export function batchesIn(root: string): BatchesResult {
  return { batches: listBatches(root, MOST_BATCHES).map((batch) => overviewOf(root, batch)) };
}

export function batchIn(root: string, id: string): BatchResult {
  const batch = readBatch(root, id);
  if (!batch) throw RequestError.invalidParams(undefined, `There is no batch ${id}.`);
  const overview = overviewOf(root, batch);
  return { ...overview, tasks: batch.tasks.map((task) => taskOf(task, batch, overview)) };
}

function overviewOf(root: string, { description, tasks, results, begun }: BatchState): BatchOverview {
  const { id, createdAt, cwd, budget } = description;
  const { total, done, failed, costUsd, hasUnknownCost } = summarize(tasks, results, begun);
  const facts = { total, done, failed, costUsd, hasUnknownCost };
  return { id, createdAt, cwd, budget, isRunning: isBatchRunning(root, id), ...facts };
}

function taskOf(task: Task, batch: BatchState, { isRunning }: BatchOverview): BatchTask {
  const { id, prompt } = task;
  const result = batch.results.get(id);
  const session = result?.session ?? batch.sessions.get(id);
  const unfinished = session === undefined ? 'waiting' : isRunning ? 'running' : 'interrupted';
  return {
    id,
    state: result?.status ?? unfinished,
    prompt: (prompt.trim().split('\n', 1)[0] ?? '').slice(0, PROMPT_CHARACTERS),
    session,
    ...factsOf(result),
    model: result?.model ?? task.model,
  };
}

/** What a result says, for the page. */
export function factsOf(result: TaskResult | null | undefined) {
  return {
    reason: result?.reason?.slice(0, REASON_CHARACTERS),
    model: result?.model,
    costUsd: result?.costUsd ?? null,
    durationMs: result?.durationMs ?? null,
    filesChanged: result?.filesChanged ?? 0,
    branch: result?.branch,
    failedChecks: (result?.checks ?? []).filter(({ exitCode }) => exitCode !== 0).map(({ name }) => name),
  };
}
