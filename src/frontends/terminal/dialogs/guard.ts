/** The delay from rendering to painting. */
const PAINT_MS = 50;

/** The minimum age of a question before a key can answer it: it has then been visible for 300 ms. */
export const UNREAD_MS = 300 + PAINT_MS;

/** Keys closer together than this are one burst of typing. */
const BURST_MS = 200;

/** Enter this soon after typed text sends that text: it does not take the selected row. */
export const ENTER_MS = 1_000;

/** When the question appeared, and the last key that was too early to be an answer. */
export type Guard = { shownAt: number; early: { at: number; isEnter: boolean } | null };

export function guardFrom(shownAt: number): Guard {
  return { shownAt, early: null };
}

/**
 * A user who is typing when a question appears has not read it: immediate keys, and those in the same burst
 * of typing, are not answers. Null when the key may answer.
 */
export function tooEarly({ shownAt, early }: Guard, key: { now: number; isEnter: boolean }): Guard | null {
  const { now, isEnter } = key;
  const unread = now - shownAt < UNREAD_MS;
  const pause = isEnter && early && !early.isEnter ? ENTER_MS : BURST_MS;
  const typingOn = early !== null && now - early.at < pause;
  return unread || typingOn ? { shownAt, early: { at: now, isEnter } } : null;
}
