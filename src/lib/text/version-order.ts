/** `1.2.3`, optionally with `-beta.1` and `+build`; null for anything else. */
function partsOf(version: string): { numbers: number[]; pre: string[] } | null {
  const found = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(version.trim());
  if (!found) return null;
  return { numbers: found.slice(1, 4).map(Number), pre: found[4]?.split('.') ?? [] };
}

/** Whether `one` is newer than `other` by the rules of semantic versioning. False if either is invalid. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (!a || !b) return false;
  for (const [i, number] of a.numbers.entries()) {
    const against = b.numbers[i] ?? 0;
    if (number !== against) return number > against;
  }
  // A pre-release comes before its release.
  if (a.pre.length === 0 || b.pre.length === 0) return a.pre.length < b.pre.length;
  return comparePre(a.pre, b.pre) > 0;
}

function comparePre(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [one, other] = [a[i], b[i]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const [oneIsNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (oneIsNumber && otherIsNumber) return Number(one) - Number(other);
    if (oneIsNumber !== otherIsNumber) return oneIsNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}
