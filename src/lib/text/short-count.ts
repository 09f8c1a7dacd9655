/** `410`, `6.1k`, `124k`, `1M`, `2.5M`. Millions are rounded down: a window of 1,048,576 is `1M`. */
export function shortCount(count: number): string {
  const whole = Math.round(count);
  if (whole < 1000) return String(whole);
  if (whole < 9_950) return `${trimmed(whole / 1000)}k`;
  if (whole < 999_500) return `${Math.round(whole / 1000)}k`;
  return `${trimmed(Math.max(10, Math.floor(whole / 100_000)) / 10)}M`;
}

function trimmed(count: number): string {
  return count.toFixed(1).replace(/\.0$/, '');
}
