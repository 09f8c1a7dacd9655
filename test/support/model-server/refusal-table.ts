import { expect } from 'vitest';
import type { Json } from './protocol.ts';

/** A good request, and what each change to it is refused with. */
export type Table = [sentence: string, change: Json, refusal: RegExp | null][];

export const user = { role: 'user', content: 'hi' };

/** The good request with the change; an undefined takes a field away. */
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
