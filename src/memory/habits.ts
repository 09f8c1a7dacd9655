import { compareText } from '../lib/text/compare.ts';

/** One approval by the user. */
export type Approval = { rule: string; at: string };

/** A rule that would have made its questions unnecessary. */
export type Habit = { rule: string; times: number; last: string };

const LEAST = 3;

/** What was approved at least three times, most frequent first. */
export function habitsIn(approvals: readonly Approval[]): Habit[] {
  const habits = new Map<string, Habit>();
  for (const { rule, at } of approvals) {
    const { times = 0, last = at } = habits.get(rule) ?? {};
    habits.set(rule, { rule, times: times + 1, last: [last, at].sort()[1] ?? at });
  }
  return [...habits.values()]
    .filter(({ times }) => times >= LEAST)
    .sort((a, b) => b.times - a.times || compareText(a.rule, b.rule));
}
