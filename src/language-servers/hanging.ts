import type { ServerSignals } from './signals.ts';

/** Aborts `answerMs` after the call, with the reason; as long as the server says that it is loading, only `loadMs` after it. */
export function whenHanging(
  signals: Pick<ServerSignals, 'isLoading'>,
  { answerMs, loadMs }: { answerMs: number; loadMs: number },
): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const look = (waitedMs: number) => {
    if (!signals.isLoading || waitedMs >= loadMs)
      return controller.abort(new Error(`did not answer for ${waitedMs / 1_000}s`));
    lookAfter(waitedMs);
  };
  let timer: NodeJS.Timeout;
  const lookAfter = (waitedMs: number) => {
    timer = setTimeout(() => look(waitedMs + answerMs), answerMs).unref();
  };
  lookAfter(0);
  return { signal: controller.signal, stop: () => clearTimeout(timer) };
}
