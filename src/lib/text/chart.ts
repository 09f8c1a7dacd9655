const STEPS = '▁▂▃▄▅▆▇█';
const PARTS = ' ▏▎▍▌▋▊▉';

/** One column per value, the highest one full; with more than `width` values, the maximum of each bucket. */
export function sparkline(values: readonly number[], width: number): string {
  const columns = Math.min(width, values.length);
  const highest = Math.max(...values);
  return Array.from({ length: columns }, (_, i) => {
    const from = Math.floor((i * values.length) / columns);
    const to = Math.floor(((i + 1) * values.length) / columns);
    const share = highest > 0 ? Math.max(...values.slice(from, to)) / highest : 0;
    return STEPS[Math.min(STEPS.length - 1, Math.floor(share * STEPS.length))];
  }).join('');
}

/**
 * A bar for a share from 0 to 1, to an eighth of a column, padded with spaces. A non-zero share is always
 * visible.
 */
export function bar(share: number, width: number): string {
  const bounded = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
  const eighths = Math.max(bounded > 0 ? 1 : 0, Math.round(bounded * width * 8));
  return `${'█'.repeat(Math.floor(eighths / 8))}${PARTS[eighths % 8]?.trim() ?? ''}`.padEnd(width);
}
