import {
  type FleetBatch,
  type FleetOverview,
  type FleetResult,
  type FleetWorker,
  ownerMethods,
} from '../../../src/frontends/server/owner-methods.ts';
import { ago, plural } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { addressOf } from '../state/route.ts';
import { useAnswer, useRepeated } from '../state/server.ts';
import { BatchProgress } from './batch-progress.tsx';
import { Problem } from './parts.tsx';

/** The queue that many machines share; nothing if the server knows none. */
export function Fleet() {
  const { answer, error, again } = useAnswer<FleetResult>(ownerMethods.readFleet);
  useRepeated(again, answer === null || answer.queue !== null);
  if (answer?.queue === null) return null;
  return (
    <section class="fleet" aria-labelledby="fleet-title">
      {(answer || error) && <h2 id="fleet-title">Queue</h2>}
      <Problem text={error} />
      {answer?.fleet && <Overview queue={answer.queue} fleet={answer.fleet} />}
    </section>
  );
}

function Overview({ queue, fleet }: { queue: string; fleet: FleetOverview }) {
  const { queues, batches, workers, givenUp } = fleet;
  const count = (state: 'waiting' | 'active' | 'delayed') => queues.reduce((sum, one) => sum + one[state], 0);
  return (
    <>
      <p class="hint mono">{visible(queue)}</p>
      <p class="card-facts">
        <span>{`${count('waiting') + count('delayed')} waiting`}</span>
        <span>{`${count('active')} running`}</span>
        {givenUp.length > 0 && <span class="bad">{`${givenUp.length} given up`}</span>}
        <span>{plural(workers.length, 'worker')}</span>
      </p>
      <ul class="batches">
        {batches.map((batch) => (
          <li key={batch.id}>
            <QueuedBatch batch={batch} givenUp={givenUp.filter((one) => one.batch === batch.id)} />
          </li>
        ))}
      </ul>
      {batches.length === 0 && <p class="hint">No batches are queued.</p>}
      <h3>Workers</h3>
      <ul class="tasks">
        {workers.map((worker) => (
          <Worker key={worker.id} worker={worker} />
        ))}
      </ul>
      {workers.length === 0 && (
        <p class="hint">
          No workers. <code>aca worker --queue URL</code> starts one.
        </p>
      )}
    </>
  );
}

type QueuedProps = { batch: FleetBatch; givenUp: FleetOverview['givenUp'] };

function QueuedBatch({ batch, givenUp }: QueuedProps) {
  const { id, ended, total, isCancelled, createdAt } = batch;
  const failed = Math.min(givenUp.length, ended);
  return (
    <a class="batch-card fleet-batch" href={addressOf({ view: 'queued', id })}>
      <span class="mono">{id}</span>
      <span class="card-facts">
        <span>{`${ended} of ${total} ended`}</span>
        {isCancelled && <span class="bad">Cancelled</span>}
        <span class="when">{ago(Date.parse(createdAt), Date.now())}</span>
      </span>
      <BatchProgress batch={{ total, done: ended - failed, failed }} verb="ended" />
      {givenUp.map(({ task, reason }) => (
        <span key={task} class="task-reason">{`${visible(task)}: ${visible(reason)}`}</span>
      ))}
    </a>
  );
}

function Worker({ worker }: { worker: FleetWorker }) {
  const { id, labels, running, concurrency, startedAt, isDraining } = worker;
  return (
    <li class="task fleet-worker">
      <span class="mono">{visible(id)}</span>
      <span class="card-facts">
        <span>{`${running.length} of ${concurrency} running`}</span>
        {labels.length > 0 && <span>{visible(labels.join(', '))}</span>}
        {isDraining && <span>Draining</span>}
        <span class="when">{`started ${ago(Date.parse(startedAt), Date.now())}`}</span>
      </span>
      {running.length > 0 && <p class="hint mono">{visible(running.join(', '))}</p>}
    </li>
  );
}
