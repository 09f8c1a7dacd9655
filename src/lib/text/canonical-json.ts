/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isTable(inner) ? sorted(inner) : inner)) ?? 'null';
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(table: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(table).sort();
  // Keeps a key such as __proto__ a plain key.
  return Object.fromEntries(keys.map((key) => [key, table[key]]));
}
