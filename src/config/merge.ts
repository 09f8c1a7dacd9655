import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../lib/text/json.ts';
import type { ConfigInput } from './schema/schema.ts';

/**
 * Lists are merged without duplicates, tables by name; anything else is replaced. A server is replaced
 * completely: the command from one source must never get keys that another wrote for its own.
 */
export function mergeConfig(base: ConfigInput, over: ConfigInput): ConfigInput {
  const mcpServers = { ...base.mcpServers, ...over.mcpServers };
  // Merging two valid inputs key by key yields a valid input.
  const merged = mergeValues(base, over) as ConfigInput;
  return Object.keys(mcpServers).length === 0 ? merged : { ...merged, mcpServers };
}

export function mergeValues(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (Array.isArray(base) && Array.isArray(over))
    return [...new Set([...base, ...over.filter((item) => !base.some((known) => isSame(known, item)))])];
  if (!isObject(base) || !isObject(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = Object.hasOwn(base, key) ? mergeValues(base[key], value) : value;
  }
  return merged;
}

/** Compares by JSON representation. */
function isSame(a: unknown, b: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  return isDeepStrictEqual(plain(a), plain(b));
}

/** Every value that is not itself a table, with its path. */
export function* leavesOf(value: unknown, path: readonly string[] = []): Generator<[string[], unknown]> {
  if (!isObject(value)) return yield [[...path], value];
  for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, [...path, key]);
}

/** A copy without undefined values, which option parsers leave behind. */
export function withoutUndefined(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : [[key, withoutUndefined(inner)]],
    ),
  );
}
