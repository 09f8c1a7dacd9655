import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SharedBudgetDescription } from '../app/opening/shared-budget.ts';
import { openSharedBudget } from '../app/opening/shared-budget.ts';
import { sharedBudgetVariable } from '../config/environment.ts';
import type { SharedBudget } from '../contract/shared-budget.ts';
import { makeFolder } from '../lib/files/make-folder.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { createFileBudget } from '../observability/spending/file-budget.ts';

/** `limits` is like `$5 and 2M tokens`; `quotas` are like the setting of that name. */
export type BatchLimits = Pick<SharedBudgetDescription, 'limits' | 'quotas'>;

/** The budget of a batch: for this process, and the environment that lets its tasks take part. */
export type BatchBudget = { env: Readonly<Record<string, string>>; budget: SharedBudget };

/**
 * The budget of a batch on this machine. What was spent before a resume stays spent; its limits may change.
 */
export async function openLocalBudget(folder: string, limits: BatchLimits): Promise<BatchBudget> {
  makeFolder(folder, 0o700);
  await createFileBudget(folder);
  const file = path.join(folder, 'budget.json');
  const env = describeBudget(file, { ...limits, place: { folder } });
  const budget = await openSharedBudget(env);
  if (!budget) throw new Error(`No budget in ${file}.`);
  return { env, budget };
}

/**
 * Written to a file, since it may hold a password, before anybody reads it. Returns the environment of those who take
 * part.
 */
export function describeBudget(
  file: string,
  description: SharedBudgetDescription,
): Readonly<Record<string, string>> {
  makePrivateFolder(path.dirname(file));
  writeFileSync(file, JSON.stringify(description), { mode: 0o600 });
  return { [sharedBudgetVariable]: file };
}
