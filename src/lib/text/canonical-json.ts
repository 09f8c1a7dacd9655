/** JSON in which the order of an object's keys does not count: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isTable(inner) ? sorted(inner) : inner)) ?? 'null';
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(table: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(table).sort();
  // A key such as __proto__ must stay a key.
  return Object.fromEntries(keys.map((key) => [key, table[key]]));
}
