import { spokenSummary, summaryText } from '../../commands/format/summary.ts';
import type { Display, Summary } from '../../contract/display.ts';
import { counted, grouped, unitFor } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';

type TodoStatus = Extract<Display, { kind: 'todos' }>['items'][number]['status'];

type FinishedCall = { title: string; success: boolean; durationMs: number; summary?: Summary };

/** How plain lines express what a screen shows with marks and colors. */
export type Marks = {
  started(title: string): string;
  finished(call: FinishedCall): string;
  /** A step of a subagent; outermost agent first. */
  subagent(agents: readonly string[], step: string): string;
  todo: Record<TodoStatus, string>;
  /** Prefix of each quoted line of a request, and of the part that needs approval. */
  quote: string;
  risky: string;
  /** A line of a patch; null if it says nothing new. */
  patchLine(line: string): string | null;
  more(count: number, unit: string): string;
};

/** ASCII where possible: for every terminal and font. */
export const signs: Marks = {
  started: (title) => `→ ${title}`,
  finished({ title, success, durationMs, summary }) {
    const facts = [...(summary ? [summaryText(summary)] : []), shortTime(durationMs)];
    return `${success ? '✓' : '✗'} ${title} (${facts.join(', ')})`;
  },
  subagent: (agents, step) => `[${agents.join(' › ')}] ${step}`,
  todo: { pending: '[ ]', in_progress: '[~]', done: '[x]' },
  quote: '  │ ',
  risky: '! ',
  patchLine: (line) => line,
  more: (count, unit) => `… ${grouped(count)} more ${unitFor(count, unit)}`,
};

/** For screen readers, which skip most signs or spell them out. */
export const words: Marks = {
  started: (title) => `${title} started`,
  finished({ title, success, durationMs, summary }) {
    const facts = [...(summary ? [spokenSummary(summary)] : []), spokenTime(durationMs)];
    return `${title} ${success ? 'finished' : 'failed'}, ${facts.join(', ')}`;
  },
  subagent: (agents, step) => `subagent ${agents.join(', ')}: ${step}`,
  todo: { pending: 'to do:', in_progress: 'in progress:', done: 'done:' },
  quote: '  quote: ',
  risky: 'needs approval: ',
  patchLine(line) {
    if (line.startsWith('--- ')) return null;
    if (line.startsWith('+++ ')) return `file ${line.slice(4)}:`;
    const [place] = /(?<=^@@ .*\+)\d+/.exec(line) ?? [];
    if (place !== undefined) return `line ${place}:`;
    const [, sign, rest] = /^([+-])(.*)$/.exec(line) ?? [];
    if (sign === undefined) return line;
    return `${sign === '+' ? 'added:' : 'removed:'} ${rest}`;
  },
  more: (count, unit) => `${grouped(count)} more ${unitFor(count, unit)}`,
};

function shortTime(ms: number): string {
  return ms < 1000 ? `${ms} ms` : elapsed(ms);
}

/** `97 milliseconds`, `3 seconds`, `1 minute 4 seconds`. */
function spokenTime(ms: number): string {
  const [minutes, seconds] = [Math.floor(ms / 60_000), Math.floor(ms / 1000) % 60];
  if (ms < 1000) return counted(ms, 'millisecond');
  return [minutes > 0 ? counted(minutes, 'minute') : '', seconds > 0 ? counted(seconds, 'second') : '']
    .filter(Boolean)
    .join(' ');
}
