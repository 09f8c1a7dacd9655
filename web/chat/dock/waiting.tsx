import type { WaitingPrompt } from '../connection.ts';
import { memo } from '../memo.ts';
import { visible } from '../text/visible.ts';

type Props = {
  prompts: readonly WaitingPrompt[];
  /** Those of this chat that have not arrived yet, while there is no connection. */
  sending: readonly WaitingPrompt[];
  /** Drops those that wait although nothing runs; missing where that is not possible. */
  onDiscard?: (() => void) | undefined;
};

/** Prompts that were sent during a run, by anybody: they wait for its next step, or its end. */
export const Waiting = memo(({ prompts, sending, onDiscard }: Props) => (
  <section class="waiting" aria-label="Waiting prompts">
    <ul>
      {prompts.map(({ text, by }, index) => (
        <li key={index}>
          {by !== undefined && <span class="by">{visible(`${by}: `)}</span>}
          {visible(text)}
        </li>
      ))}
      {sending.map(({ text }, index) => (
        <li key={`sending-${index}`}>
          <span class="by">Not sent yet: </span>
          {visible(text)}
        </li>
      ))}
    </ul>
    {onDiscard && prompts.some(({ held }) => held) && (
      <p class="muted">
        Not answered before the server stopped. Sent with your next message.{' '}
        <button type="button" class="quiet small" onClick={onDiscard}>
          Discard
        </button>
      </p>
    )}
  </section>
));
