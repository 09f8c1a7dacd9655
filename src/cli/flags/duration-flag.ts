import { InvalidArgumentError } from 'commander';
import { parseDuration } from './parse-duration.ts';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Parses a time such as `90s` or `10m`, into the unit that a bare number has. */
export function durationFlag(unitMs: number) {
  return (value: string): number => {
    const ms = parseDuration(value, unitMs);
    if (ms === null || ms <= 0) throw new InvalidArgumentError('Use a time such as 90s, 10m or 2h.');
    return ms / unitMs;
  };
}

/** Parses a time with its unit, into milliseconds. */
export function validityFlag(mostMs: number) {
  return (value: string): number => {
    const ms = parseDuration(value, null);
    if (ms === null || ms <= 0 || ms > mostMs)
      throw new InvalidArgumentError(`Use a time such as 30m, 2h or 7d; at most ${mostMs / DAY_MS}d.`);
    return ms;
  };
}
