const UNITS: readonly [pattern: RegExp, ms: number][] = [
  [/^(?:ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|wks?|weeks?)$/, 604_800_000],
];

const PART = /(\d+(?:\.\d+)?|\.\d+)\s*([a-z]*)/g;
const WHOLE = /^(?:(?:\d+(?:\.\d+)?|\.\d+)\s*[a-z]*[\s,]*)+$/;

/**
 * Milliseconds of a time as people write it: `90s`, `10m`, `1h30m`, `2 hours`. A bare number is in `unitMs`, or no time if
 * that is null. Null if it is not a time.
 */
export function parseDuration(text: string, unitMs: number | null): number | null {
  const written = text.trim().toLowerCase();
  if (!WHOLE.test(written)) return null;
  const parts = [...written.matchAll(PART)];
  let sum = 0;
  for (const [, count, unit = ''] of parts) {
    // A number without a unit beside one with a unit is ambiguous.
    if (unit === '' && parts.length > 1) return null;
    const ms = unit === '' ? unitMs : UNITS.find(([pattern]) => pattern.test(unit))?.[1];
    if (ms === undefined || ms === null) return null;
    sum += Number(count) * ms;
  }
  return sum;
}
