import { isObject } from './json.ts';
/** JSON with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner)) ?? 'null';
}

function sorted(table: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(table).sort();
  // Keeps a key such as __proto__ a plain key.
  return Object.fromEntries(keys.map((key) => [key, table[key]]));
}
