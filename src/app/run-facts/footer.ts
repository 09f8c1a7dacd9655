import { dollars } from '../../commands/format/dollars.ts';
import { changeText, spokenSummary } from '../../commands/format/summary.ts';
import type { EndReason } from '../../contract/event.ts';
import { counted } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import type { Check } from './checks.ts';
import type { RunFacts } from './run-facts.ts';

/** One fact; `bad` if it needs the user's attention. */
export type FooterPart = { text: string; bad?: true };

/** A plain answer that came sooner needs no footer. */
const QUICK_MS = 5_000;
const MOST_CHECKS = 4;

/** Marks for a screen, or words for those who listen. */
const MARKS = { passed: '✓', failed: '✗' };
const WORDS = { passed: 'passed', failed: 'failed,' };

/** The facts of a run as one line; empty if they say no more than its answer. */
export function footerParts(
  facts: RunFacts,
  reason: EndReason,
  { words = false }: { words?: boolean } = {},
): FooterPart[] {
  const { durationMs, calls, changes, checks, declined, blocked, todos, costUsd } = facts;
  const marks = words ? WORDS : MARKS;
  const hasFacts = changes.length + checks.length + declined + blocked > 0;
  const isCutShort = reason === 'interrupted' || reason === 'error';
  if (!hasFacts && (isCutShort || (calls === 0 && durationMs < QUICK_MS))) return [];
  const shown = checks.toSorted((a, b) => Number(a.exitCode === 0) - Number(b.exitCode === 0));
  const more = shown.splice(MOST_CHECKS).length;
  return [
    { text: `Worked for ${elapsed(durationMs)}` },
    ...(changes.length === 0 ? [] : [{ text: changesText(changes, words) }]),
    ...shown.map((check) => checkPart(check, marks)),
    ...(more === 0 ? [] : [{ text: `+${more} more` }]),
    ...(declined === 0 ? [] : [{ text: `${declined} declined` }]),
    ...(blocked === 0 ? [] : [{ text: `${blocked} blocked` }]),
    ...(todos && todos.open > 0 ? [{ text: `${todos.open} of ${todos.total} todos open` }] : []),
    ...(costUsd ? [{ text: dollars(costUsd) }] : []),
  ];
}

function changesText(changes: RunFacts['changes'], words: boolean): string {
  const count = counted(changes.length, 'file');
  const lines = changes.map((change) => change.lines);
  const sum = (of: 'added' | 'removed') => lines.reduce((total, one) => total + (one?.[of] ?? 0), 0);
  const change = { added: sum('added'), removed: sum('removed') };
  if (lines.includes(null) || change.added + change.removed === 0) return count;
  if (words) return `${count}, ${spokenSummary({ kind: 'change', files: 1, ...change })}`;
  return `${count} ${changeText(change)}`;
}

function checkPart({ name, exitCode }: Check, marks: typeof MARKS): FooterPart {
  if (exitCode === 0) return { text: `${name} ${marks.passed}` };
  const how = exitCode === null ? 'stopped' : `exit ${exitCode}`;
  return { text: `${name} ${marks.failed} ${how}`, bad: true };
}
