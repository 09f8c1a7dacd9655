import { useEffect, useRef } from 'preact/hooks';
import { useChat } from '../context.ts';

/** Silence after which somebody does not write any more, in milliseconds. */
const PAUSE = 3_000;

/** Tells the others that this user writes: call it with each change of the draft. */
export function useTyping(): (isWriting: boolean) => void {
  const { connection } = useChat();
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const stop = () => {
    if (timer.current === null) return;
    clearTimeout(timer.current);
    timer.current = null;
    connection.typing?.(false);
  };
  useEffect(() => stop, [connection]);
  return (isWriting) => {
    if (!isWriting) {
      stop();
      return;
    }
    if (timer.current === null) connection.typing?.(true);
    else clearTimeout(timer.current);
    timer.current = setTimeout(stop, PAUSE);
  };
}
