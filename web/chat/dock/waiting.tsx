import type { WaitingPrompt } from '../connection.ts';
import { memo } from '../memo.ts';
import { visible } from '../text/visible.ts';

/** Prompts that were sent during a run, by anybody: they wait for its next step, or its end. */
export const Waiting = memo(({ prompts }: { prompts: readonly WaitingPrompt[] }) => (
  <ul class="waiting" aria-label="Waiting prompts">
    {prompts.map(({ text, by }, index) => (
      <li key={index}>
        {by !== undefined && <span class="by">{visible(`${by}: `)}</span>}
        {visible(text)}
      </li>
    ))}
  </ul>
));
