import { useNow } from '../parts/use-now.ts';
import type { View } from '../state/view.ts';
import { duration } from '../text/format.ts';

/** Below the transcript while a turn runs: that something happens, and since when. */
export function Working({ view: { turn, asks, items } }: { view: View }) {
  const now = useNow(true);
  const seconds = Math.max(0, Math.floor((now - (turn?.startedAt ?? now)) / 1_000));
  const last = items.at(-1);
  const isThinking = last?.type === 'thought';
  const words = asks.length > 0 ? 'Waiting for you' : isThinking ? 'Thinking' : 'Working';
  return (
    <div class={asks.length > 0 ? 'working waiting' : 'working'}>
      <span class="pulse" aria-hidden="true" />
      <span>{words}</span>
      {seconds > 0 && <span class="muted">{duration(seconds * 1_000).replace('.0s', 's')}</span>}
    </div>
  );
}
