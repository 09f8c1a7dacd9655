const INTERVAL_MS = 50;
const MAX_PENDING = 8_000;

/** `push` as often as output comes; `end` tells what is left. */
export type LiveOutput = { push(text: string): void; end(): void };

/** Output for watching: a few times a second, and of a flood only its latest part. */
export function createLiveOutput(tell: (text: string) => void): LiveOutput {
  let pending = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    if (pending !== '') tell(pending);
    pending = '';
  }

  return {
    push(text) {
      pending += text;
      if (pending.length > 2 * MAX_PENDING) pending = `…${latest(pending)}`;
      timer ??= setTimeout(flush, INTERVAL_MS);
    },
    end() {
      clearTimeout(timer);
      flush();
    },
  };
}

/** From a line's beginning where there is one, so that no character is cut in half. */
function latest(text: string): string {
  const tail = text.slice(-MAX_PENDING);
  return tail.slice(Math.max(0, tail.indexOf('\n')));
}
