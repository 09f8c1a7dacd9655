import { useState } from 'preact/hooks';
import {
  type BatchResult,
  type BatchTask,
  type BatchTaskState,
  type FleetBatchResult,
  ownerMethods,
} from '../../../src/frontends/server/owner-methods.ts';
import { duration, money, plural } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { addressOf } from '../state/route.ts';
import { useAnswer, useRepeated } from '../state/server.ts';
import { BatchProgress } from './batch-progress.tsx';
import { BatchFacts } from './batches.tsx';
import { Panel, Problem } from './parts.tsx';

/** Tasks that are shown before the user wants more. */
const FEW = 200;

const STATES: Record<BatchTaskState, string> = {
  failed: 'Failed',
  running: 'Running',
  interrupted: 'Interrupted',
  waiting: 'Waiting',
  done: 'Done',
};

/** The marks of sessions, which mean the same. */
const MARKS: Record<BatchTaskState, string> = {
  failed: 'failed',
  running: 'working',
  interrupted: 'interrupted',
  waiting: 'idle',
  done: 'done',
};

/** One batch: how far it is, and each of its tasks. */
export function BatchView({ id }: { id: string }) {
  const { answer, error, again } = useAnswer<BatchResult>(ownerMethods.readBatch, { id });
  useRepeated(again, answer?.isRunning === true);
  return (
    <Panel
      title={answer ? visible(answer.cwd.split('/').at(-1) || answer.cwd) : 'Batch'}
      parent={{ to: { view: 'batches' }, label: 'Back to batches' }}
    >
      <Problem text={error} />
      {answer && (
        <>
          <p class="hint mono">{`${answer.id} · ${visible(answer.cwd)}`}</p>
          <BatchProgress batch={answer} />
          <BatchFacts batch={answer} />
          {!answer.isRunning && answer.tasks.some(({ state }) => state !== 'done' && state !== 'failed') && (
            <p class="hint">
              Continue it with <code>{`aca batch --resume ${answer.id}`}</code>
            </p>
          )}
          <Tasks tasks={answer.tasks} />
        </>
      )}
    </Panel>
  );
}

/** One batch of the queue that many machines share. */
export function QueuedBatchView({ id }: { id: string }) {
  const { answer, error, again } = useAnswer<FleetBatchResult>(ownerMethods.readFleetBatch, { id });
  useRepeated(again, true);
  return (
    <Panel title="Queued batch" parent={{ to: { view: 'batches' }, label: 'Back to batches' }}>
      <p class="hint mono">{visible(id)}</p>
      <Problem text={error} />
      {answer && <Tasks tasks={answer.tasks} />}
    </Panel>
  );
}

function Tasks({ tasks }: { tasks: readonly BatchTask[] }) {
  const [only, setOnly] = useState<BatchTaskState | null>(null);
  const [most, setMost] = useState(FEW);
  const chosen = tasks.filter(({ state }) => only === null || state === only);
  const states = (Object.keys(STATES) as BatchTaskState[]).filter((state) =>
    tasks.some((task) => task.state === state),
  );
  return (
    <section aria-label="Tasks">
      <div class="choices-row">
        <Choice label={`All ${tasks.length}`} isChosen={only === null} onChoose={() => setOnly(null)} />
        {states.map((state) => (
          <Choice
            key={state}
            label={`${STATES[state]} ${tasks.filter((task) => task.state === state).length}`}
            isChosen={only === state}
            onChoose={() => setOnly(state)}
          />
        ))}
      </div>
      <ul class="tasks">
        {chosen.slice(0, most).map((task) => (
          <li key={task.id}>
            <TaskRow task={task} />
          </li>
        ))}
      </ul>
      {chosen.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + FEW)}>
          {`Show ${Math.min(FEW, chosen.length - most)} more`}
        </button>
      )}
    </section>
  );
}

function Choice({ label, isChosen, onChoose }: { label: string; isChosen: boolean; onChoose(): void }) {
  return (
    <button type="button" class="button" aria-pressed={isChosen} onClick={onChoose}>
      {label}
    </button>
  );
}

function TaskRow({ task }: { task: BatchTask }) {
  const { id, state, prompt, reason, session, model, costUsd, durationMs, filesChanged, branch } = task;
  const { deliveries = 0 } = task;
  const why = reason ?? (task.failedChecks.length > 0 ? `Failed: ${task.failedChecks.join(', ')}` : null);
  return (
    <article class="task">
      <span class={`state ${MARKS[state]}`}>
        <span class="state-dot" aria-hidden="true" />
        {STATES[state]}
      </span>
      <span class="task-id mono">{visible(id)}</span>
      {session !== undefined && <a href={addressOf({ view: 'session', id: session })}>Session</a>}
      {prompt !== undefined && <p class="task-prompt">{visible(prompt)}</p>}
      {(state === 'failed' || state === 'interrupted') && why !== null && (
        <p class="task-reason">{visible(why)}</p>
      )}
      <p class="hint task-facts">
        {[
          model,
          costUsd !== null && money(costUsd),
          durationMs !== null && duration(durationMs),
          filesChanged > 0 && `${plural(filesChanged, 'file')} changed`,
          branch,
          deliveries > 1 && `started ${deliveries} times`,
        ]
          .filter((fact) => typeof fact === 'string')
          .map(visible)
          .join(' · ')}
      </p>
    </article>
  );
}
