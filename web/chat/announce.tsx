import { useEffect, useRef, useState } from 'preact/hooks';
import type { View } from './state/view.ts';

/** What a screen reader says of a long message. */
const SAID = 600;

/** Tells screen readers what happened: a question at once, an answer when it is complete, never each part of it. */
export function Announcer({ view }: { view: View }) {
  const [polite, setPolite] = useState('');
  const { turn, asks, items } = view;
  const before = useRef(turn);
  useEffect(() => {
    if (turn !== null && before.current === null) setPolite('Working');
    if (turn === null && before.current !== null) {
      const last = items.at(-1);
      setPolite(last?.type === 'message' ? last.text.slice(0, SAID) : 'Done');
    }
    before.current = turn;
  }, [turn]);
  const [ask] = asks;
  const question =
    ask?.type === 'permission' ? `Approval needed: ${ask.toolCall.title ?? ''}` : ask?.question;
  return (
    <div class="offscreen">
      <div role="status">{polite}</div>
      <div role="alert">{question}</div>
    </div>
  );
}
