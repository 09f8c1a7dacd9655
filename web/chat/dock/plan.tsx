import type { PlanEntry, PlanEntryStatus } from '@agentclientprotocol/sdk';
import { useFold } from '../context.ts';
import { memo } from '../memo.ts';
import { Icon } from '../parts/icon.tsx';
import { visible } from '../text/visible.ts';

const NAMES: Record<PlanEntryStatus, string> = {
  pending: 'To do',
  in_progress: 'In progress',
  completed: 'Done',
};

/** The steps the agent set itself: one line with the current step, or all of them. */
export const Plan = memo(({ entries }: { entries: readonly PlanEntry[] }) => {
  const [isOpen, toggle] = useFold('plan', false);
  const done = entries.filter(({ status }) => status === 'completed').length;
  const current =
    entries.find(({ status }) => status === 'in_progress') ??
    entries.find(({ status }) => status === 'pending');
  return (
    <section class="panel plan" aria-label="Plan">
      <button type="button" class="panel-head" onClick={toggle} aria-expanded={isOpen}>
        <Icon name="plan" />
        <span class="panel-title">{current ? visible(current.content) : 'Plan complete'}</span>
        <span class="muted">{`${done}/${entries.length}`}</span>
        <span class={isOpen ? 'fold open' : 'fold'}>
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && (
        <ol class="steps">
          {entries.map(({ content, status }, index) => (
            <li key={index} class={status}>
              <span class="step-mark">{status === 'completed' && <Icon name="check" />}</span>
              <span class="offscreen">{`${NAMES[status]}: `}</span>
              {visible(content)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
});
