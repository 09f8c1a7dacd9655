/**
 * Remembers results until the event loop turns, for lookups that several callers make at the same moment. What
 * they look up may change at any time, but nobody can have reacted to that in between.
 */
export function oncePerTurn<Args extends readonly unknown[], Result>(
  look: (...args: Args) => Result,
): (...args: Args) => Result {
  const results = new Map<string, Result>();
  return (...args) => {
    const key = JSON.stringify(args);
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = look(...args);
    if (results.size === 0) setImmediate(() => results.clear());
    results.set(key, result);
    return result;
  };
}
