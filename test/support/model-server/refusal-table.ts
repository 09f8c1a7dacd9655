import { expect } from 'vitest';
import type { Json } from './protocol.ts';

/** A valid request, and the expected refusal for each change to it. */
export type Table = [sentence: string, change: Json, refusal: RegExp | null][];

export const user = { role: 'user', content: 'hi' };

/** The valid request with the change; undefined removes a field. */
export function changed(good: Json, change: Json): Json {
  return Object.fromEntries(
    Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
  );
}

export function expectFirst(faults: Generator<string>, refusal: RegExp | null): void {
  const [first] = faults;
  if (refusal === null) expect(first).toBeUndefined();
  else expect(first).toMatch(refusal);
}
