const TICK_MS = 25;

/**
 * Runs `late` after this time, excluding the time in which this process was too busy to handle what arrives:
 * an answer that is already there is handled first. Returns what cancels it.
 */
export function afterListening(ms: number, late: () => void): () => void {
  const tick = Math.min(TICK_MS, ms);
  let left = ms;
  const clock = setInterval(() => {
    left -= tick;
    if (left > 0) return;
    clearInterval(clock);
    late();
  }, tick);
  clock.unref();
  return () => clearInterval(clock);
}

/** A timeout that excludes the time in which this process was too busy to handle responses. */
export function listeningTime(ms: number): AbortSignal {
  const end = new AbortController();
  afterListening(ms, () => end.abort(new Error(`No answer within ${ms} ms.`)));
  return end.signal;
}
