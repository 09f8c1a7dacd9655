/** More than any tool needs, and small enough to be journaled, sent and shown. */
const MOST_VALUES = 100_000;
const MOST_CHARACTERS = 10_000_000;
const DEEPEST = 200;

/**
 * A plugin's value as plain data: strings, numbers, arrays and objects, sharing nothing with the plugin and
 * without getters. Throws with the path and the reason if it is anything else.
 */
export function plainCopy(value: unknown): unknown {
  let values = 0;
  let characters = 0;
  const take = (text: string) => {
    characters += text.length;
    if (characters > MOST_CHARACTERS) throw new Error('it is too large');
    return text;
  };

  function copy(one: unknown, place: string, depth: number): unknown {
    values += 1;
    if (values > MOST_VALUES) throw new Error('it is too large');
    if (depth > DEEPEST) throw new Error('it is nested too deeply or refers to itself');
    if (one === null || typeof one === 'boolean') return one;
    if (typeof one === 'string') return take(one);
    if (typeof one === 'number') {
      if (Number.isFinite(one)) return one === 0 ? 0 : one;
      throw new Error(`${place} is ${one}`);
    }
    if (typeof one !== 'object') throw new Error(`${place} is a ${typeof one}`);
    if (Array.isArray(one))
      return Array.from(one, (item, i) => copy(item ?? null, `${place}[${i}]`, depth + 1));
    const prototype: unknown = Object.getPrototypeOf(one);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw new Error(`${place} is not plain data`);
    return Object.fromEntries(
      Object.keys(one).flatMap((key) => {
        const inner = (one as Record<string, unknown>)[key];
        return inner === undefined ? [] : [[take(key), copy(inner, `${place}.${key}`, depth + 1)]];
      }),
    );
  }
  return copy(value, 'it', 0);
}

/** An error's stack trace, if any; empty for anything but an error. */
export function traceOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack ?? '') : '';
  } catch {
    return '';
  }
}

/**
 * A message for a thrown value. A plugin may throw anything, even values that cannot be converted to a
 * string.
 */
export function thrownMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error) || 'with no message';
  } catch {
    return 'with an error that cannot be displayed';
  }
}
