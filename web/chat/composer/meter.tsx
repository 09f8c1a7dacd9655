import type { View } from '../state/view.ts';
import { amount, money } from '../text/format.ts';

/** The radius makes a circle of length 100, so that a share is a length. */
const RADIUS = 15.9155;

/** How full the model's context is, and what the session has cost. */
export function Meter({ usage }: { usage: View['usage'] }) {
  if (!usage || usage.size <= 0) return null;
  const share = Math.min(100, Math.round((usage.used / usage.size) * 100));
  const context = `${amount(usage.used)} of ${amount(usage.size)} tokens of context used`;
  const cost = usage.cost ? money(usage.cost.amount, usage.cost.currency) : null;
  return (
    <span class={share >= 90 ? 'meter full' : 'meter'} title={cost ? `${context}, ${cost}` : context}>
      <svg viewBox="0 0 36 36" role="img" aria-label={`${share}% of the context used`}>
        <circle class="track" cx="18" cy="18" r={RADIUS} />
        <circle
          class="share"
          cx="18"
          cy="18"
          r={RADIUS}
          stroke-dasharray={`${share} 100`}
          transform="rotate(-90 18 18)"
        />
      </svg>
      {cost && <span class="cost">{cost}</span>}
    </span>
  );
}
