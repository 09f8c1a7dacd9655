import { limited } from '../../lib/async/abort.ts';

export type InTime<T> = {
  ms: number;
  signal: AbortSignal;
  /** Aborted when its time is over. */
  attempt(signal: AbortSignal): Promise<T>;
  otherwise(): Promise<T>;
};

/** What the attempt gives if it is done in time, and else the other way's. A failure in time is a failure. */
export async function inTimeOr<T>({ ms, signal, attempt, otherwise }: InTime<T>): Promise<T> {
  const late = limited(ms, signal);
  try {
    return await attempt(late);
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    return otherwise();
  }
}
