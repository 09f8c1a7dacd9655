import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENTER_MS, type Guard, guardFrom, tooEarly, UNREAD_MS } from './guard.ts';

/** Which of the keys, each pressed at its time after the question appeared, could answer. */
function answering(times: readonly number[], isEnter = (_at: number) => false): number[] {
  let guard: Guard = guardFrom(0);
  return times.filter((now) => {
    const early = tooEarly(guard, { now, isEnter: isEnter(now) });
    if (early) guard = early;
    return early === null;
  });
}

test('a key answers once the question was visible for 300 ms', () => {
  expect(answering([0, 300, UNREAD_MS - 1])).toEqual([]);
  expect(answering([UNREAD_MS])).toEqual([UNREAD_MS]);
});

test('typing that started before the question does not answer it; after a pause it may', () => {
  expect(answering([100, 220, 340, 460, 580])).toEqual([]);
  expect(answering([100, 220, 340, 800])).toEqual([800]);
});

test('a second press after an early one is not taken for typing', () => {
  expect(answering([200, 420])).toEqual([420]);
});

test('Enter after typed text sends the text, even after a short pause', () => {
  const enters =
    (...at: number[]) =>
    (now: number) =>
      at.includes(now);
  expect(answering([100, 300, 900], enters(900))).toEqual([]);
  expect(answering([100, 300, 300 + ENTER_MS], enters(300 + ENTER_MS))).toEqual([300 + ENTER_MS]);
  // The text is sent: the next Enter is meant for the question.
  expect(answering([100, 300, 900, 1200], enters(900, 1200))).toEqual([1200]);
  expect(answering([200, 600], enters(200, 600))).toEqual([600]);
});

test('whatever is typed, nothing answers in the first 300 ms', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 40 }), (times) => {
      const answers = answering(times.toSorted((a, b) => a - b));
      expect(answers.every((at) => at >= UNREAD_MS)).toBe(true);
    }),
  );
});
