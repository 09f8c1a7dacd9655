export function plural(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

/** `0.4s`, `12s`, `3m 05s`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
}

/** `850`, `12.3k`, `1.2M`. */
export function amount(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

export function money(value: number, currency = 'USD'): string {
  if (currency !== 'USD') return `${value.toFixed(2)} ${currency}`;
  if (value > 0 && value < 0.01) return '<$0.01';
  return `$${value.toFixed(2)}`;
}

/** `just now`, `5m ago`, `3h ago`, `2d ago`, then the date; empty if there is no such time. */
export function ago(time: number, now: number): string {
  if (Number.isNaN(time)) return '';
  const minutes = Math.floor((now - time) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes}m ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ago`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))}d ago`;
  return new Date(time).toISOString().slice(0, 10);
}

/** A path as people read it: relative to the folder of the session. */
export function shortPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
