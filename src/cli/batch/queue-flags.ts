import { UserError } from '../../contract/errors.ts';
import type { BatchDescription } from '../../fleet/batch/batch-store.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import type { BatchFlags } from './flags.ts';

/** What a batch remembers of its queue; nothing if it runs on this machine. */
export function queueOf(
  { queue, store, trust }: BatchFlags,
  { cwd, env }: Terminal,
): Partial<Pick<BatchDescription, 'queue' | 'store'>> {
  if (queue === undefined && store !== undefined)
    throw new UserError('--store is for workers on other machines.', 'Add --queue redis://HOST:PORT.');
  if (queue === undefined) return {};
  if (trust)
    throw new UserError('Workers trust no settings of repositories.', 'Leave out --trust, or --queue.');
  const place = store === undefined || store.startsWith('s3://') ? store : resolvePath(store, cwd, env);
  return { queue: queue.replace(/(\/\/)[^@/]*@/, '$1'), ...(place !== undefined && { store: place }) };
}
