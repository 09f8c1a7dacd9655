import type { Task, TaskResult } from '../task.ts';

/** What happened so far, in numbers. */
export type Summary = {
  total: number;
  done: number;
  failed: number;
  /** Without a result: not started, or interrupted. */
  open: number;
  /** Of those with a known price, also of tasks without a result. */
  costUsd: number;
  /** Whether some prices are unknown. */
  hasUnknownCost: boolean;
  tokens: number;
  /** The sum over all tasks. */
  durationMs: number;
};

/** What tasks without a result have cost so far. */
export type Spending = Pick<TaskResult, 'costUsd' | 'tokens' | 'durationMs'>;

export function summarize(
  tasks: readonly Pick<Task, 'id'>[],
  results: ReadonlyMap<string, TaskResult>,
  begun: ReadonlyMap<string, Spending> = new Map(),
): Summary {
  const found = tasks.flatMap(({ id }) => results.get(id) ?? []);
  const all = tasks.flatMap(({ id }): Spending[] => {
    const spending = results.get(id) ?? begun.get(id);
    return spending ? [spending] : [];
  });
  const done = found.filter(({ status }) => status === 'done').length;
  return {
    total: tasks.length,
    done,
    failed: found.length - done,
    open: tasks.length - found.length,
    costUsd: sum(all, ({ costUsd }) => costUsd ?? 0),
    hasUnknownCost: all.some(({ costUsd }) => costUsd === null),
    tokens: sum(all, ({ tokens }) => tokens),
    durationMs: sum(all, ({ durationMs }) => durationMs),
  };
}

/** By model, in the order of their first appearance: for comparing models. Tasks whose model is not known yet are left out. */
export function byModel(
  tasks: readonly Task[],
  results: ReadonlyMap<string, TaskResult>,
): Map<string, Summary> {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const model = results.get(task.id)?.model ?? task.model;
    if (model === undefined) continue;
    const group = groups.get(model) ?? [];
    group.push(task);
    groups.set(model, group);
  }
  return new Map([...groups].map(([model, group]) => [model, summarize(group, results)]));
}

function sum<T>(values: readonly T[], amount: (value: T) => number): number {
  return values.reduce((total, value) => total + amount(value), 0);
}
