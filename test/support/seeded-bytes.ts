import { createHash } from 'node:crypto';

/** Bytes that look random and are the same in every run, so that no test passes or fails by chance. */
export function seededBytes(seed: string): (length: number) => Buffer {
  let calls = 0;
  return (length) => createHash('shake256', { outputLength: length }).update(`${seed} ${calls++}`).digest();
}
