import type { BatchOverview } from '../../../src/frontends/server/owner-methods.ts';

type ProgressProps = { batch: Pick<BatchOverview, 'total' | 'done' | 'failed'>; verb?: string };

/** A bar: done, failed, and what is left. */
export function BatchProgress({ batch: { total, done, failed }, verb = 'done' }: ProgressProps) {
  const label = `${done} of ${total} ${verb}${failed > 0 ? `, ${failed} failed` : ''}`;
  // Attributes, not styles: the page allows no inline style.
  return (
    <svg
      class="progress"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(total, 1)} 1`}
      preserveAspectRatio="none"
    >
      <rect class="rest" width={Math.max(total, 1)} height="1" />
      <rect class="done" width={done} height="1" />
      <rect class="failed" x={done} width={failed} height="1" />
    </svg>
  );
}
