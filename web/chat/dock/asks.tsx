import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Ask, View } from '../state/view.ts';
import { PermissionCard } from './permission-card.tsx';
import { QuestionCard } from './question-card.tsx';

/** How long a card must have been on the screen before a key answers it, in milliseconds. */
const SETTLE = 500;

/** The oldest question to the user. The next one follows when it is answered. */
export function Asks({ view }: { view: View }) {
  const { asks, session } = view;
  const [ask] = asks;
  if (!ask) return null;
  const rest = asks.length - 1;
  return (
    <AskFrame key={ask.requestId} ask={ask}>
      {(mayAnswer) => (
        <>
          {ask.type === 'permission' ? (
            <PermissionCard
              ask={ask}
              cwd={session?.cwd ?? ''}
              mayAnswer={mayAnswer}
              isWatching={session?.role === 'viewer'}
            />
          ) : (
            <QuestionCard ask={ask} mayAnswer={mayAnswer} isWatching={session?.role === 'viewer'} />
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
  children: (mayAnswer: () => boolean) => ComponentChildren;
};

/**
 * Takes the focus when the user is not writing, so that a digit answers; never a button, so that no stray Enter does.
 * Letters typed in that moment go to the prompt.
 */
function AskFrame({ ask, children }: FrameProps) {
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
  const passOn = (event: KeyboardEvent) => {
    const isText =
      event.key.length === 1 && !/[\d ]/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isText && event.target === frame.current) promptBox()?.focus();
  };
  return (
    <section
      class="ask"
      ref={frame}
      tabIndex={-1}
      onKeyDown={passOn}
      aria-label={ask.type === 'permission' ? 'Approval needed' : 'Question'}
    >
      {children(mayAnswer)}
    </section>
  );
}

function promptBox(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('.composer textarea');
}
