import { randomUUID } from 'node:crypto';
import { startTelemetry } from '../../app/opening/start-telemetry.ts';
import type { Settings } from '../../app/settings.ts';
import type { OpenBatch } from '../../fleet/batch/batch-store.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { parseTraceparent, traceparentOf } from '../../observability/telemetry/trace-ids.ts';

/** With telemetry, the batch is a span, and its tasks are parts of the same trace if they get `TRACEPARENT`. */
export async function traced<T>(
  { state }: OpenBatch,
  { settings, terminal }: { settings: Settings; terminal: Terminal },
  run: (trace: { TRACEPARENT: string; isReported: boolean }) => Promise<T>,
): Promise<T> {
  const measured = await startTelemetry(settings, {}, terminal);
  const parent = parseTraceparent(terminal.env.TRACEPARENT);
  const ids = {
    traceId: parent?.traceId ?? randomUUID(),
    spanId: randomUUID(),
    parentId: parent?.spanId ?? null,
  };
  const startMs = Date.now();
  try {
    return await run({ TRACEPARENT: traceparentOf(ids), isReported: measured !== undefined });
  } finally {
    measured?.telemetry.report({
      ids,
      name: 'batch',
      kind: 'internal',
      startMs,
      endMs: Date.now(),
      attributes: { 'aca.batch.id': state.description.id, 'aca.batch.tasks': state.tasks.length },
    });
    await measured?.telemetry.close();
  }
}
