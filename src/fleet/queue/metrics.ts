import { limited, unlessAborted } from '../../lib/async/abort.ts';
import type { MetricDefinition } from '../../observability/telemetry/metric-definitions.ts';
import { servePrometheus } from '../../observability/telemetry/prometheus.ts';
import { queueDepths } from './control.ts';
import type { Fleet } from './fleet.ts';
import { countWorkers, heartbeatMs } from './heartbeat.ts';
import type { WorkerEvent } from './worker.ts';

/** Without an answer of the Redis server, the figures of this worker are served alone. */
const REFRESH_MS = 3_000;
const WAIT_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
const TASK_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 3_600];

const fleetMetrics = [
  {
    type: 'gauge',
    name: 'fleet_queue_tasks',
    help: 'Tasks in the queue by state: waiting, active, delayed, or failed (the dead-letter list)',
    labels: ['labels', 'state'],
  },
  { type: 'gauge', name: 'fleet_workers', help: 'Workers that sent a heartbeat', labels: [] },
  {
    type: 'histogram',
    unit: 's',
    name: 'fleet_task_wait_seconds',
    help: 'Time from queuing a task to its start on this worker',
    labels: [],
    buckets: WAIT_SECONDS,
  },
  {
    type: 'histogram',
    unit: 's',
    name: 'fleet_task_duration_seconds',
    help: 'Time from the start of a task on this worker to its end',
    labels: [],
    buckets: TASK_SECONDS,
  },
  {
    type: 'counter',
    name: 'fleet_tasks',
    alias: 'fleet_tasks_total',
    help: 'Tasks that ended on this worker, by how: done, a kind of failure, again, handed back, taken over',
    labels: ['end'],
  },
] as const satisfies readonly MetricDefinition[];

export type FleetMetrics = { url: string; take(event: WorkerEvent): void; close(): Promise<void> };

/** Serves the figures of this worker, and of the queue at the time of each request. */
export async function serveFleetMetrics(
  fleet: Fleet,
  { leaseMs, ...at }: { port: number; host?: string; leaseMs: number },
): Promise<FleetMetrics> {
  const prometheus = await servePrometheus(at.port, {
    ...at,
    definitions: fleetMetrics,
    refresh: async () => void (await unlessAborted(refresh(), limited(REFRESH_MS))),
  });
  async function refresh() {
    const depths = (await queueDepths(fleet)).flatMap(({ labels, ...states }) =>
      Object.entries(states).map(([state, value]) => ({
        metric: 'fleet_queue_tasks',
        value,
        labels: { labels: labels.join(','), state },
      })),
    );
    const workers = await countWorkers(fleet, heartbeatMs(leaseMs));
    prometheus.record([...depths, { metric: 'fleet_workers', value: workers, labels: {} }]);
  }
  return {
    url: prometheus.url,
    take(event) {
      if (event.type === 'started')
        prometheus.record([{ metric: 'fleet_task_wait_seconds', value: event.waitMs / 1000, labels: {} }]);
      if (event.type !== 'ended') return;
      const { end } = event;
      const how = 'result' in end ? (end.result.failure ?? end.result.status) : end.type;
      prometheus.record([
        { metric: 'fleet_task_duration_seconds', value: event.ms / 1000, labels: {} },
        { metric: 'fleet_tasks', value: 1, labels: { end: how } },
      ]);
    },
    close: () => prometheus.close(),
  };
}
