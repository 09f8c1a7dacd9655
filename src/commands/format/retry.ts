import type { AgentEvent } from '../../contract/event.ts';
import { MAX_RETRIES } from '../../providers/wrappers/retry.ts';

/** `retry 1/3 in 2 s: overloaded. The engine is busy.` One line, which suits screen readers and logs. */
export function retryLine({
  attempt,
  delayMs,
  kind,
  message,
}: Extract<AgentEvent, { type: 'retry' }>): string {
  const seconds = delayMs < 1000 ? (delayMs / 1000).toFixed(1) : Math.round(delayMs / 1000);
  return `retry ${attempt}/${MAX_RETRIES} in ${seconds} s: ${WORDS[kind] ?? kind}. ${message}`;
}

const WORDS: Partial<Record<string, string>> = {
  rate_limit: 'rate limit',
  server_error: 'server error',
  cut: 'the answer broke off',
};
