/** The delay from rendering to painting. */
const PAINT_MS = 50;

/** The minimum age of a question before a key can answer it: it has then been visible for 300 ms. */
export const UNREAD_MS = 300 + PAINT_MS;

/** Keys closer together than this are one burst of typing. */
const BURST_MS = 200;

/** When the question appeared, and the last key that was too early to be an answer. */
export type Guard = { shownAt: number; earlyAt: number | null };

export function guardFrom(shownAt: number): Guard {
  return { shownAt, earlyAt: null };
}

/**
 * A user who is typing when a question appears has not read it: immediate keys, and those in the same burst
 * of typing, are not answers. Null when the key may answer.
 */
export function tooEarly(guard: Guard, now: number): Guard | null {
  const unread = now - guard.shownAt < UNREAD_MS;
  const typingOn = guard.earlyAt !== null && now - guard.earlyAt < BURST_MS;
  return unread || typingOn ? { ...guard, earlyAt: now } : null;
}
