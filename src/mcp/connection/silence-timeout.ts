/** A timeout for silence. Time that the user needs for an answer does not count: `pause` stops the clock. */
export type SilenceTimeout = {
  signal: AbortSignal;
  /** True once the silence was too long. */
  isOver(): boolean;
  reset(): void;
  pause<T>(work: Promise<T>): Promise<T>;
  end(): void;
};

export function createSilenceTimeout(ms: number, signal: AbortSignal): SilenceTimeout {
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let paused = 0;
  const stop = () => clearTimeout(timer);
  const begin = () => {
    stop();
    if (paused === 0) timer = setTimeout(() => over.abort(new Error(`no answer within ${ms / 1000}s`)), ms);
  };
  begin();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    reset: begin,
    async pause(work) {
      paused++;
      stop();
      try {
        return await work;
      } finally {
        paused--;
        begin();
      }
    },
    end: () => {
      paused = 1;
      stop();
    },
  };
}
