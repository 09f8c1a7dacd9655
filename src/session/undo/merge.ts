/**
 * Reverts a change in a file that was changed further: `now` without the difference from `before` to `after`.
 * Null if it is not text, or if both touch the same lines; with `onConflict`, those stay as they are now.
 */
export async function mergeBack(
  now: Buffer,
  after: Buffer,
  before: Buffer,
  onConflict?: () => void,
): Promise<Buffer | null> {
  if ([now, after, before].some((bytes) => bytes.includes(0))) return null;
  const { diff3Merge } = await import('node-diff3');
  const regions = diff3Merge(linesOf(now), linesOf(after), linesOf(before), { excludeFalseConflicts: true });
  const kept: string[] = [];
  for (const { ok, conflict } of regions) {
    if (!ok && !onConflict) return null;
    if (!ok) onConflict?.();
    for (const line of ok ?? conflict?.a ?? []) kept.push(line);
  }
  return Buffer.from(kept.join(''), 'latin1');
}

/** One character per byte, so that every encoding round-trips. */
export function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
