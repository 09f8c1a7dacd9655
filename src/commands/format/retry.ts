import type { AgentEvent } from '../../contract/event.ts';
import { MAX_RETRIES } from '../../providers/wrappers/retry.ts';

/** `Server overloaded, retrying in 2s (1 of 3). The engine is busy.` One line, which suits screen readers and logs. */
export function retryLine({
  attempt,
  delayMs,
  kind,
  message,
}: Extract<AgentEvent, { type: 'retry' }>): string {
  const seconds = delayMs < 1000 ? (delayMs / 1000).toFixed(1) : Math.round(delayMs / 1000);
  return `${WORDS[kind] ?? 'Error'}, retrying in ${seconds}s (${attempt} of ${MAX_RETRIES}). ${message}`;
}

const WORDS: Partial<Record<string, string>> = {
  rate_limit: 'Rate limited',
  overloaded: 'Server overloaded',
  server_error: 'Server error',
  timeout: 'Timed out',
  cut: 'Answer cut off',
};
