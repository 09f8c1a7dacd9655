import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Ask, View } from '../state/view.ts';
import { PermissionCard } from './permission-card.tsx';
import { QuestionCard } from './question-card.tsx';
import { type AskKeys, promptBox } from './use-selection.ts';

/** How long a card must have been on the screen before it is answered, in milliseconds. */
const SETTLE = 500;
/** How long after the last change of the prompt a card takes keys, in milliseconds. */
const PAUSE = 1_000;

/** The oldest question to the user. The next one follows when it is answered. */
export function Asks({ view }: { view: View }) {
  const { asks, session } = view;
  const sinceTyping = useSinceTyping();
  const [ask] = asks;
  if (!ask) return null;
  const rest = asks.length - 1;
  return (
    <AskFrame key={ask.requestId} ask={ask} sinceTyping={sinceTyping}>
      {(keys) => (
        <>
          {ask.type === 'permission' ? (
            <PermissionCard
              ask={ask}
              cwd={session?.cwd ?? ''}
              keys={keys}
              isWatching={session?.role === 'viewer'}
            />
          ) : (
            <QuestionCard ask={ask} keys={keys} isWatching={session?.role === 'viewer'} />
          )}
          {rest > 0 && (
            <p class="muted more-asks">
              {rest === 1 ? '1 more question after this' : `${rest} more questions after this`}
            </p>
          )}
        </>
      )}
    </AskFrame>
  );
}

type FrameProps = {
  ask: Ask;
  sinceTyping(): number;
  children: (keys: AskKeys) => ComponentChildren;
};

/**
 * Takes the focus when the user is not writing, so that digits select an answer; never a button, so that no stray Enter
 * answers.
 */
function AskFrame({ ask, sinceTyping, children }: FrameProps) {
  const frame = useRef<HTMLElement>(null);
  const shownAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    shownAt.current = performance.now();
  }, []);
  // Before it is painted: no key can come between the card and its focus.
  useLayoutEffect(() => {
    const active = document.activeElement;
    const isWriting = active instanceof HTMLTextAreaElement && active.value !== '';
    if (!isWriting && document.hasFocus()) frame.current?.focus({ preventScroll: true });
    return () => {
      // Whoever answered by keyboard goes on writing.
      if (frame.current?.contains(document.activeElement)) promptBox()?.focus();
    };
  }, []);
  const mayAnswer = () => performance.now() - shownAt.current > SETTLE;
  const mayTakeKey = () => mayAnswer() && sinceTyping() > PAUSE;
  return (
    <section
      class="ask"
      ref={frame}
      tabIndex={-1}
      aria-label={ask.type === 'permission' ? 'Approval needed' : 'Question'}
    >
      {children({ frame, mayAnswer, mayTakeKey })}
    </section>
  );
}

/** The time since the prompt was last changed or sent, in milliseconds. */
function useSinceTyping(): () => number {
  const typedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const onType = (event: Event) => {
      if (event.target !== promptBox() || (event instanceof KeyboardEvent && event.key !== 'Enter')) return;
      typedAt.current = performance.now();
    };
    for (const type of ['input', 'keydown']) document.addEventListener(type, onType);
    return () => {
      for (const type of ['input', 'keydown']) document.removeEventListener(type, onType);
    };
  }, []);
  return () => performance.now() - typedAt.current;
}
