import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeldKey } from './held-key.ts';

const begun = () => new HeldKey(0, { isTapped: false });

/** When the recording ends: presses and releases at these times, then nothing. */
function endOf(
  key: HeldKey,
  events: readonly { at: number; type: 'press' | 'repeat' | 'release' }[],
): number | null {
  let end: number | null = null;
  for (const { at, type } of events) {
    if (end !== null && at > end) return end;
    end = type === 'release' ? key.release(at) : key.press(at, { repeated: type === 'repeat' });
  }
  return end;
}

describe('a terminal that reports when a key is let go', () => {
  test('held: the recording ends when it is let go, after the last word', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 60_000 }), fc.boolean(), (until, repeats) => {
        const held = repeats ? [{ at: 300, type: 'repeat' as const }] : [];
        expect(endOf(begun(), [...held, { at: until, type: 'release' }])).toBe(until + 250);
      }),
    );
  });

  test('tapped: it goes on until the next press', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 399 }), fc.integer({ min: 400, max: 60_000 }), (tap, next) => {
        const key = begun();
        expect(endOf(key, [{ at: tap, type: 'release' }])).toBe(null);
        expect(key.isHeld).toBe(false);
        expect(key.press(next)).toBe(next);
      }),
    );
  });
});

describe('a terminal that does not', () => {
  test('held: presses repeat, and the recording ends soon after the last', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 700 }),
        fc.array(fc.integer({ min: 10, max: 140 }), { minLength: 1, maxLength: 200 }),
        (delay, gaps) => {
          const presses = [{ at: delay, type: 'press' as const }];
          for (const gap of gaps) presses.push({ at: (presses.at(-1)?.at ?? 0) + gap, type: 'press' });
          const key = begun();
          expect(endOf(key, presses)).toBe((presses.at(-1)?.at ?? 0) + 400);
          expect(key.isHeld).toBe(true);
        },
      ),
    );
  });

  test('pressed again: it ends at once, within what nobody notices', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 60_000 }), (next) => {
        const key = begun();
        expect(endOf(key, [{ at: next, type: 'press' }])).toBe(next + 150);
        expect(key.isHeld).toBe(false);
      }),
    );
  });
});

test('after a command, a press ends it', () => {
  expect(new HeldKey(0, { isTapped: true }).press(50)).toBe(50);
});
