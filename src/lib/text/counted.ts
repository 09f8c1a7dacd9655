/** `12,345`. */
export function grouped(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 file`, `3 matches`, `2,048 entries`. */
export function counted(count: number, unit: string): string {
  return `${grouped(count)} ${unitFor(count, unit)}`;
}

/** A unit, in the plural unless there is exactly one. */
export function unitFor(count: number, unit: string): string {
  if (count === 1) return unit;
  if (/(?:ch|sh|s|x)$/.test(unit)) return `${unit}es`;
  return /[^aeiou]y$/.test(unit) ? `${unit.slice(0, -1)}ies` : `${unit}s`;
}
