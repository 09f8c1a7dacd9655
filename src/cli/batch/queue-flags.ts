import { queueVariable } from '../../config/environment.ts';
import { UserError } from '../../contract/errors.ts';
import type { BatchDescription } from '../../fleet/batch/batch-store.ts';
import { withoutPassword } from '../../fleet/queue/fleet.ts';
import type { Task } from '../../fleet/task.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import type { BatchFlags } from './flags.ts';

/** What a batch remembers of its queue; nothing if it runs on this machine. */
export function queueOf(
  queue: string | undefined,
  tasks: readonly Task[],
  { flags, terminal: { cwd, env } }: { flags: BatchFlags; terminal: Terminal },
): Partial<Pick<BatchDescription, 'queue' | 'store'>> {
  const { store, trust, changes } = flags;
  if (!queue && store !== undefined)
    throw new UserError('--store is for workers on other machines.', 'Add --queue redis://HOST:PORT.');
  if (!queue) return {};
  requireNoOwnPlace(flags);
  if (trust)
    throw new UserError(
      'Workers trust no settings of repositories.',
      `Leave out --trust, or run the batch on this machine: no --queue, no ${queueVariable}.`,
    );
  if (store === undefined) requireBranches(tasks, changes);
  requireSmall(tasks);
  const place = store === undefined || store.startsWith('s3://') ? store : resolvePath(store, cwd, env);
  return { queue: withoutPassword(queue), ...(place !== undefined && { store: place }) };
}

/** Workers decide how many tasks they run, and where. */
export function requireNoOwnPlace({ jobs, trees }: Pick<BatchFlags, 'jobs' | 'trees'>): void {
  const flag = jobs !== undefined ? '--jobs' : trees !== undefined ? '--trees' : null;
  if (flag === null) return;
  const instead = jobs !== undefined ? 'aca worker --concurrency N' : 'aca worker --trees FOLDER';
  throw new UserError(
    `${flag} has no effect on tasks in a queue.`,
    `Use \`${instead}\`, or run the batch on this machine: no --queue, no ${queueVariable}.`,
  );
}

/** Without a store, changes come back as branches only. */
function requireBranches(tasks: readonly Task[], changes: BatchFlags['changes']): void {
  const places = 'Add --store FOLDER or --store s3://BUCKET/PREFIX';
  if (changes === 'patch')
    throw new UserError('The patches of tasks have no way back.', `${places}, or leave out --changes patch.`);
  const folder = tasks.find(({ source }) => source.type === 'folder');
  if (folder)
    throw new UserError(
      `Task ${folder.id} works on a folder, and its changes have no way back.`,
      `${places}, or commit the folder to a git repository.`,
    );
}

const MAX_TASK_BYTES = 256 * 1024;

/** What a task needs to know belongs into its repository: everything in the queue is in the memory of one server. */
function requireSmall(tasks: readonly Task[]): void {
  const large = tasks.find((task) => Buffer.byteLength(JSON.stringify(task)) > MAX_TASK_BYTES);
  if (!large) return;
  const size = Math.ceil(Buffer.byteLength(JSON.stringify(large)) / 1024);
  throw new UserError(
    `Task ${large.id} is too large for the queue: ${size} KB of at most ${MAX_TASK_BYTES / 1024} KB.`,
    'Put long texts into files of its repository, and name them in the prompt.',
  );
}
