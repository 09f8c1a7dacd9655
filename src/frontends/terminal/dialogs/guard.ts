/** A screen is painted a moment after it was made. */
const PAINT_MS = 50;

/** How old a question must be before a key can answer it: by then it was on screen for 300 ms. */
export const UNREAD_MS = 300 + PAINT_MS;

/** Keys closer together than this are one stretch of typing. */
const BURST_MS = 200;

/** When the question appeared, and the last key that came too early to be meant for it. */
export type Guard = { shownAt: number; earlyAt: number | null };

export function guardFrom(shownAt: number): Guard {
  return { shownAt, earlyAt: null };
}

/**
 * Whoever types while a question appears has not read it: what comes at once, and what goes on in the same stretch
 * of typing, is no answer. Null when the key may answer.
 */
export function tooEarly(guard: Guard, now: number): Guard | null {
  const unread = now - guard.shownAt < UNREAD_MS;
  const typingOn = guard.earlyAt !== null && now - guard.earlyAt < BURST_MS;
  return unread || typingOn ? { ...guard, earlyAt: now } : null;
}
