import { randomUUID } from 'node:crypto';
import { startTelemetry } from '../../app/opening/start-telemetry.ts';
import { loadSettings } from '../../app/settings.ts';
import { queueVariable } from '../../config/environment.ts';
import type { OpenBatch } from '../../fleet/batch/batch-store.ts';
import type { BatchEnd, RunBatchOptions } from '../../fleet/batch/run-batch.ts';
import { runQueuedBatch } from '../../fleet/queue/run-queued.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { parseTraceparent, traceparentOf } from '../../observability/telemetry/trace-ids.ts';
import { connect } from '../fleet/connect.ts';

type Queued = Pick<RunBatchOptions, 'retry' | 'signal' | 'onEvent'> & {
  /** The flag; a batch that is resumed knows the server, but not its password. */
  queue: string | undefined;
  terminal: Terminal;
};

/** Runs a batch on the workers of a queue. With telemetry, its tasks are parts of one trace. */
export async function runQueued(
  batch: OpenBatch,
  { queue, terminal, ...options }: Queued,
): Promise<BatchEnd> {
  const { env } = terminal;
  const { description } = batch.state;
  const settings = loadSettings({}, terminal);
  const fleet = await connect(queue ?? env[queueVariable] ?? description.queue, terminal);
  const measured = await startTelemetry(settings, {}, terminal);
  const parent = parseTraceparent(env.TRACEPARENT);
  const ids = {
    traceId: parent?.traceId ?? randomUUID(),
    spanId: randomUUID(),
    parentId: parent?.spanId ?? null,
  };
  const startMs = Date.now();
  try {
    return await runQueuedBatch(batch, {
      ...options,
      fleet,
      store: description.store,
      quotas: settings.config.quotas,
      traceparent: traceparentOf(ids),
      env,
    });
  } finally {
    measured?.telemetry.report({
      ids,
      name: 'batch',
      kind: 'internal',
      startMs,
      endMs: Date.now(),
      attributes: { 'aca.batch.id': description.id, 'aca.batch.tasks': batch.state.tasks.length },
    });
    await measured?.telemetry.close();
    await fleet.close();
  }
}
