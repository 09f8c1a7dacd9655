import { RequestError } from '@agentclientprotocol/sdk';
import { queueVariable, redisVariables } from '../../../config/environment.ts';
import type { Config } from '../../../config/schema/schema.ts';
import type { Fleet } from '../../../fleet/queue/fleet.ts';
import { limited, raceAbort } from '../../../lib/async/abort.ts';
import type { BatchTask, FleetBatchResult, FleetOverview, FleetResult } from '../owner-methods.ts';

export type FleetReader = {
  read(): Promise<FleetResult>;
  readBatch(id: string): Promise<FleetBatchResult>;
  close(): Promise<void>;
};

const ANSWER_MS = 5_000;

/** Reads the queue that the environment names. Connects when somebody asks, and stays connected. */
export function createFleetReader(
  env: NodeJS.ProcessEnv,
  { cache }: { cache: Pick<Config['cache'], 'redis'> },
): FleetReader {
  const url = env[queueVariable];
  const [, keyName] = redisVariables;
  const key = env[keyName] || cache.redis.key;
  let opened: Promise<Fleet> | null = null;

  async function fleetAt(at: string): Promise<Fleet> {
    const { openFleet } = await import('../../../fleet/queue/fleet.ts');
    opened ??= openFleet({ url: at, key });
    return opened;
  }

  async function close(): Promise<void> {
    const last = opened;
    opened = null;
    await last?.then((fleet) => fleet.close()).catch(() => undefined);
  }

  async function ask<T>(what: Promise<T>): Promise<T> {
    const limit = limited(ANSWER_MS);
    try {
      return await raceAbort(what, limit);
    } catch (error) {
      // The next request connects again.
      void close();
      const reason = limit.aborted ? 'The Redis server does not answer.' : (error as Error).message;
      throw RequestError.internalError(undefined, reason);
    }
  }

  return {
    async read() {
      if (!url) return { queue: null, fleet: null };
      const { withoutPassword } = await import('../../../fleet/queue/fleet.ts');
      return { queue: withoutPassword(url), fleet: await ask(fleetAt(url).then(overviewOf)) };
    },
    async readBatch(id) {
      if (!url) throw RequestError.invalidParams(undefined, 'No queue is configured.');
      return { tasks: await ask(fleetAt(url).then((fleet) => tasksIn(fleet, id))) };
    },
    close,
  };
}

async function tasksIn(fleet: Fleet, batch: string): Promise<BatchTask[]> {
  const [{ tasksOf }, { factsOf }] = await Promise.all([
    import('../../../fleet/queue/batch-tasks.ts'),
    import('./batches.ts'),
  ]);
  return (await tasksOf(fleet, batch)).map(({ task, state, deliveries, result }) => ({
    id: task,
    state,
    deliveries,
    ...factsOf(result),
  }));
}

async function overviewOf(fleet: Fleet): Promise<FleetOverview> {
  const { fleetStatus, givenUp } = await import('../../../fleet/queue/control.ts');
  const status = await fleetStatus(fleet);
  return {
    queues: status.queues.map(({ labels, waiting, active, delayed }) => ({
      labels,
      waiting,
      active,
      delayed,
    })),
    batches: status.batches
      .map(({ batch: { id, createdAt }, ...counts }) => ({ id, createdAt, ...counts }))
      .toReversed(),
    workers: status.workers.map(({ id, labels, concurrency, running, startedAt, isDraining }) => ({
      ...{ id, labels, concurrency, running, startedAt, isDraining },
    })),
    givenUp: await givenUp(fleet, status),
  };
}
