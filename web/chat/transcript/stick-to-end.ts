import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

export type Scroller = RefObject<HTMLDivElement | null>;

/** How near the end counts as the end, in pixels. */
const NEAR = 32;

/** Keeps a scroller at its end while its content grows, until the user scrolls up. */
export function useStickToEnd(scroller: Scroller): { isAway: boolean; follow: () => void } {
  const [isAway, setAway] = useState(false);
  const follows = useRef(true);
  const lastTop = useRef(0);

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
  }, [scroller]);

  const follow = useCallback(() => {
    follows.current = true;
    setAway(false);
    toEnd();
  }, [toEnd]);

  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });

  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    const onScroll = () => {
      const rest = element.scrollHeight - element.clientHeight - element.scrollTop;
      if (rest <= NEAR) follows.current = true;
      // What grows below does not move the top: only the user does.
      else if (element.scrollTop < lastTop.current - 1) follows.current = false;
      lastTop.current = element.scrollTop;
      setAway(!follows.current);
    };
    const resized = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    resized.observe(content);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      resized.disconnect();
    };
  }, [scroller, toEnd]);

  return { isAway, follow };
}
