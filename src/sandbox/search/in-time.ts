import { limited } from '../../lib/async/abort.ts';

export type InTime<T> = {
  ms: number;
  signal: AbortSignal;
  /** Aborted after the time limit. */
  attempt(signal: AbortSignal): Promise<T>;
  otherwise(): Promise<T>;
};

/** The attempt's result if it is in time, else that of the alternative. A failure in time is a failure. */
export async function inTimeOr<T>({ ms, signal, attempt, otherwise }: InTime<T>): Promise<T> {
  const late = limited(ms, signal);
  try {
    return await attempt(late);
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    return otherwise();
  }
}
