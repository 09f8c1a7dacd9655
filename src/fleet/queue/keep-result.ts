import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { dataRoot } from '../../lib/files/data-root.ts';
import { openStore, storeNames } from '../store/result-store.ts';
import { type Trying, tryAgain } from '../store/try-again.ts';
import type { TaskResult } from '../task.ts';
import type { QueuedBatch, QueuedResult } from './messages.ts';

export type KeepOptions = Trying & {
  batch: Pick<QueuedBatch, 'id' | 'store'>;
  /** In the names: what a worker writes that was overtaken is never read. */
  token: string;
  env: NodeJS.ProcessEnv;
};

/** Longer texts are in the store. */
const MAX_ANSWER = 500;

/**
 * Puts what is large into the store. A store that fails is asked again for a while: the model has done its work,
 * and its changes are published.
 */
export async function keepResult(result: TaskResult, options: KeepOptions): Promise<QueuedResult> {
  const { batch, token, env } = options;
  const { patch, ...here } = result;
  // The submitter may be on another machine.
  const { worktree } = here;
  const rest = { ...here, ...(worktree !== undefined && { worktree: `${hostname()}:${worktree}` }) };
  const short = {
    ...rest,
    answer: rest.answer.slice(0, MAX_ANSWER),
    checks: rest.checks.map((check) => ({ ...check, output: check.output.slice(-MAX_ANSWER) })),
  };
  const { store: place } = batch;
  if (place === undefined) return short;
  const names = storeNames(batch.id, result.task, token);
  const kept = patch === undefined ? {} : { patch: names.patch };
  const session = path.join(dataRoot(env), 'sessions', `${result.session}.jsonl`);
  try {
    await tryAgain(async () => {
      const store = await openStore(place, env);
      try {
        if (patch !== undefined) await store.put(names.patch, { file: patch });
        // There is none if the run did not start.
        if (existsSync(session)) await store.put(names.session, { file: session });
        await store.put(names.result, JSON.stringify({ ...rest, ...kept }));
      } finally {
        store.close();
      }
    }, options);
    return { ...short, ...kept, stored: token };
  } catch (error) {
    const reason = `Could not write to the store: ${(error as Error).message}`;
    return { ...short, status: 'failed', failure: 'setup', reason };
  }
}
