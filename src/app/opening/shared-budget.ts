import { z } from 'zod';
import { sharedBudgetVariable } from '../../config/environment.ts';
import { quotaSettings } from '../../config/schema/quota-settings.ts';
import { UserError } from '../../contract/errors.ts';
import { parseLimits } from '../../contract/limit.ts';
import type { SharedBudget } from '../../contract/shared-budget.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { parseJson } from '../../lib/text/json.ts';

/**
 * A file that describes a shared budget, so that no secret is in the environment. `limits` is like
 * `$5 and 2M tokens`; `folder` keeps the sums for one machine, `port` is that of a worker that keeps them for many.
 */
const description = () =>
  z.strictObject({
    limits: z.string().exactOptional(),
    quotas: quotaSettings().default({}),
    place: z.union([
      z.strictObject({ folder: z.string() }),
      z.strictObject({ port: z.int(), token: z.string() }),
    ]),
  });

export type SharedBudgetDescription = z.input<ReturnType<typeof description>>;

/** Undefined outside of a batch. A budget that cannot be read stops the session: it would be exceeded. */
export async function openSharedBudget(env: NodeJS.ProcessEnv): Promise<SharedBudget | undefined> {
  const file = env[sharedBudgetVariable];
  if (!file) return undefined;
  const text = unlessErrno('any', '', () => readRegularText(file));
  const { data } = description().safeParse(parseJson(text));
  const limits = data?.limits === undefined ? [] : parseLimits(data.limits);
  if (!data || !limits)
    throw new UserError(
      `Cannot read the shared budget in ${file}.`,
      `Unset ${sharedBudgetVariable}, or start the batch again.`,
    );
  const { quotas, place } = data;
  if ('folder' in place) {
    const { openFileBudget } = await import('../../observability/spending/file-budget.ts');
    return openFileBudget({ folder: place.folder, limits, quotas });
  }
  const { openServedBudget } = await import('../../observability/spending/budget-client.ts');
  return openServedBudget({ address: place, limits, quotas });
}
