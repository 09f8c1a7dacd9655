import type { Arguments } from '../../contract/tool.ts';
import { isObject, parseJson } from '../../lib/text/json.ts';

/** These arguments, and the others. */
export function take<Name extends string>(
  input: Arguments,
  names: readonly Name[],
): { taken: Partial<Record<Name, unknown>>; rest: Arguments } {
  const isTaken = (name: string) => (names as readonly string[]).includes(name);
  const entries = Object.entries(input);
  return {
    taken: Object.fromEntries(entries.filter(([name]) => isTaken(name))) as Partial<Record<Name, unknown>>,
    rest: Object.fromEntries(entries.filter(([name]) => !isTaken(name))),
  };
}

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function flagIn(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** A list, also one written as JSON. */
export function listIn(value: unknown): unknown[] | undefined {
  const list = typeof value === 'string' ? parseJson(value) : value;
  return Array.isArray(list) ? list : undefined;
}

/** The item of a list of one; anything else stays as it is. */
export function onlyItem(value: unknown): unknown {
  const list = Array.isArray(value) ? value : undefined;
  return list?.length === 1 ? list[0] : value;
}

/** The first of these fields that is there. */
export function fieldOf(value: unknown, names: readonly string[]): unknown {
  if (!isObject(value)) return undefined;
  const name = names.find((one) => value[one] !== undefined);
  return name === undefined ? undefined : value[name];
}
