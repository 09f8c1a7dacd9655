import { loadSettings } from '../../app/settings.ts';
import { queueVariable } from '../../config/environment.ts';
import type { OpenBatch } from '../../fleet/batch/batch-store.ts';
import type { BatchEnd, RunBatchOptions } from '../../fleet/batch/run-batch.ts';
import { runQueuedBatch } from '../../fleet/queue/run-queued.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { connect } from '../fleet/connect.ts';
import { traced } from './traced.ts';

type Queued = Pick<RunBatchOptions, 'retry' | 'signal' | 'onEvent'> & {
  /** The flag; a batch that is resumed knows the server, but not its password. */
  queue: string | undefined;
  terminal: Terminal;
  /** Prints a line for the user. */
  print(text: string): void;
};

/** Runs a batch on the workers of a queue. With telemetry, its tasks are parts of one trace. */
export async function runQueued(
  batch: OpenBatch,
  { queue, terminal, print, ...options }: Queued,
): Promise<BatchEnd> {
  const { env } = terminal;
  const { description } = batch.state;
  const settings = loadSettings({}, terminal);
  const fleet = await connect(queue ?? env[queueVariable] ?? description.queue, terminal, print);
  try {
    return await traced(batch, { settings, terminal }, ({ TRACEPARENT: traceparent }) =>
      runQueuedBatch(batch, {
        ...options,
        fleet,
        store: description.store,
        quotas: settings.config.quotas,
        traceparent,
        onTrouble: (text) => print(`Warning: ${text}`),
        env,
      }),
    );
  } finally {
    await fleet.close();
  }
}
