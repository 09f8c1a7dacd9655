import * as z from 'zod';
import { createRedisBudget, findRedisBudget, type Totals } from '../../cache/redis-budget.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { OpenBatch } from '../batch/batch-store.ts';
import { type Fleet, fleetKeys } from './fleet.ts';

const amountsSchema = z.object({ usd: z.number(), tokens: z.number(), turns: z.number() });
const totalsSchema = z.object({ spent: amountsSchema, held: amountsSchema });

type Amounts = Totals['spent'];

const NOTHING: Amounts = { usd: 0, tokens: 0, turns: 0 };

/**
 * The budget of a batch on the server, with at least what is known here to be spent: the server forgets it when the
 * batch is done, and may have lost its data.
 */
export async function openQueuedBudget({ redis }: Fleet, batch: OpenBatch): Promise<void> {
  const { spent, held } = read(batch);
  const results = sumOf(batch.state.results.values());
  const prefix = fleetKeys.batch(batch.state.description.id).budget;
  const known = largest(results, {
    usd: spent.usd + held.usd,
    tokens: spent.tokens + held.tokens,
    turns: spent.turns + held.turns,
  });
  await createRedisBudget({ redis, prefix }, { spent, ifLost: known });
}

/** Writes down what is spent; nothing if the server has no such budget any more. */
export async function keepSpending({ redis }: Fleet, batch: OpenBatch): Promise<void> {
  const prefix = fleetKeys.batch(batch.state.description.id).budget;
  const totals = await findRedisBudget({ redis, prefix });
  if (!totals) return;
  const known = read(batch);
  const kept: Totals = { spent: largest(totals.spent, known.spent), held: totals.held };
  const text = JSON.stringify(kept);
  if (text !== JSON.stringify(known)) await batch.write(batch.files.spentOnQueue, `${text}\n`);
}

function read({ files }: OpenBatch): Totals {
  const text = unlessErrno(['ENOENT'], '', () => readRegularText(files.spentOnQueue));
  return totalsSchema.safeParse(parseJson(text)).data ?? { spent: NOTHING, held: NOTHING };
}

function sumOf(results: Iterable<{ costUsd: number | null; tokens: number; turns: number }>): Amounts {
  const sum = { ...NOTHING };
  for (const { costUsd, tokens, turns } of results) {
    sum.usd += costUsd ?? 0;
    sum.tokens += tokens;
    sum.turns += turns;
  }
  return sum;
}

function largest(a: Amounts, b: Amounts): Amounts {
  return {
    usd: Math.max(a.usd, b.usd),
    tokens: Math.max(a.tokens, b.tokens),
    turns: Math.max(a.turns, b.turns),
  };
}
