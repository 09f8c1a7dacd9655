import type { AgentEvent } from '../../contract/event.ts';
import { MAX_RETRIES } from '../../providers/wrappers/retry.ts';

/** `Server overloaded, retrying in 2s (1 of 3). The engine is busy.` One line, which suits screen readers and logs. */
export function retryLine(event: Extract<AgentEvent, { type: 'retry' }>, leftMs?: number): string {
  const { attempt, delayMs, kind, message } = event;
  const when = leftMs === undefined ? `in ${about(delayMs)}s` : countdown(leftMs);
  return `${WORDS[kind] ?? 'Error'}, retrying ${when} (${attempt} of ${MAX_RETRIES}). ${message}`;
}

function about(ms: number): string {
  return ms < 1000 ? (ms / 1000).toFixed(1) : String(Math.round(ms / 1000));
}

/** Whole seconds, so that a number is shown for a second. */
function countdown(leftMs: number): string {
  return leftMs <= 0 ? 'now' : `in ${Math.ceil(leftMs / 1000)}s`;
}

const WORDS: Partial<Record<string, string>> = {
  rate_limit: 'Rate limited',
  overloaded: 'Server overloaded',
  server_error: 'Server error',
  timeout: 'Timed out',
  cut: 'Answer cut off',
};
