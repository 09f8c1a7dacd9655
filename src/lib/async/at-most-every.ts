/**
 * Returns a function that calls `run` at once, or, soon after another call, when the interval is over: many calls in a row
 * become few.
 */
export function atMostEvery(ms: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  const start = () => {
    run();
    timer = setTimeout(() => {
      timer = null;
      if (isDue) start();
    }, ms).unref();
    isDue = false;
  };
  return () => {
    if (timer) isDue = true;
    else start();
  };
}
