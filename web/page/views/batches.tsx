import {
  type BatchesResult,
  type BatchOverview,
  ownerMethods,
} from '../../../src/frontends/server/owner-methods.ts';
import { ago, money } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { addressOf } from '../state/route.ts';
import { useAnswer, useRepeated } from '../state/server.ts';
import { BatchProgress } from './batch-progress.tsx';
import { Fleet } from './fleet.tsx';
import { Panel, Problem } from './parts.tsx';

/** All batches: how far each is, and what it cost. */
export function Batches() {
  const { answer, error, again } = useAnswer<BatchesResult>(ownerMethods.listBatches);
  useRepeated(again, error === null);
  return (
    <Panel title="Batches">
      <Problem text={error} />
      <ul class="batches">
        {answer?.batches.map((batch) => (
          <li key={batch.id}>
            <a class="batch-card" href={addressOf({ view: 'batch', id: batch.id })}>
              <span class="card-title">{visible(batch.cwd.split('/').at(-1) || batch.cwd)}</span>
              <span class="hint mono">{batch.id}</span>
              <BatchProgress batch={batch} />
              <BatchFacts batch={batch} />
            </a>
          </li>
        ))}
      </ul>
      <Fleet />
      {answer?.batches.length === 0 && (
        <p class="hint">
          No batches yet. <code>aca batch tasks.jsonl</code> runs many tasks, each in a worktree of its own.
        </p>
      )}
    </Panel>
  );
}

type Props = { batch: BatchOverview };

export function BatchFacts({ batch }: Props) {
  const { total, done, failed, isRunning, costUsd, hasUnknownCost, budget, createdAt } = batch;
  const left = total - done - failed;
  const state = isRunning ? 'working' : left > 0 ? 'interrupted' : failed > 0 ? 'failed' : 'done';
  return (
    <span class="card-facts">
      <span class={`state ${state}`}>
        <span class="state-dot" aria-hidden="true" />
        {isRunning ? 'Running' : left > 0 ? 'Interrupted' : 'Finished'}
      </span>
      <span>{`${done} of ${total} done`}</span>
      {failed > 0 && <span class="bad">{`${failed} failed`}</span>}
      <span>
        {`${hasUnknownCost ? 'at least ' : ''}${money(costUsd)}`}
        {budget !== undefined && ` of ${visible(budget)}`}
      </span>
      <span class="when">{ago(Date.parse(createdAt), Date.now())}</span>
    </span>
  );
}
