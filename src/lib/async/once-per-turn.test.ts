import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oncePerTurn } from './once-per-turn.ts';

test('calls of the same turn share one lookup, a later turn looks again', async () => {
  let state = 'old';
  const seen: string[] = [];
  const look = oncePerTurn((name: string, places: readonly string[] = []) => {
    seen.push(name);
    return `${name} ${places.join()} ${state}`;
  });
  expect(look('a')).toBe('a  old');
  state = 'new';
  await Promise.resolve();
  expect(look('a')).toBe('a  old');
  expect(look('a', ['x'])).toBe('a x new');
  expect(look('b')).toBe('b  new');
  expect(seen).toEqual(['a', 'a', 'b']);

  await setImmediate();
  expect(look('a')).toBe('a  new');
});

test('remembers null, and not a failure', () => {
  let calls = 0;
  const look = oncePerTurn((): null => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
    return null;
  });
  expect(look).toThrow('not now');
  expect([look(), look()]).toEqual([null, null]);
  expect(calls).toBe(2);
});
