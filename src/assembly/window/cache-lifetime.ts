import type { Message } from '../../contract/message.ts';

const MINUTE = 60_000;
const SHORT_MS = 5 * MINUTE;
const LONG_MS = 60 * MINUTE;
/** Older requests say little about how the user works now. */
const LATEST = 20;
/**
 * Anthropic's prices, as multiples of input: written for an hour 2, for five minutes 1.25, read 0.05 to 0.1. In a
 * conversation that doubles over the next 20 requests, an hour pays if more than one in 16 of them comes after a pause
 * that only the longer lifetime outlasts.
 */
const PAYS_FROM = 1 / 16;

/**
 * How long the next request should ask the vendor to keep the prompt. It changes only where the whole prompt must be
 * written anyway: at `from`, the start of an epoch, and after a pause that was too long. The pauses before requests are
 * all the same here: the user was away, an approval waited, a command ran for minutes.
 */
export function cacheLifetime(messages: readonly Message[], from: number): '5m' | '1h' {
  let lifetime: '5m' | '1h' = '5m';
  const pauses: number[] = [];
  let repliedAt: number | undefined;
  let hasBegun = false;
  const request = (at: number, index: number) => {
    const isFirst = !hasBegun && index >= from;
    hasBegun ||= isFirst;
    const pause = repliedAt === undefined ? 0 : at - repliedAt;
    if (repliedAt !== undefined) pauses.push(pause);
    if (isFirst || pause > (lifetime === '1h' ? LONG_MS : SHORT_MS)) lifetime = lifetimeAfter(pauses);
  };
  for (const [i, { role }] of messages.entries()) {
    if (role !== 'assistant') continue;
    request(timeOf(messages[i - 1] ?? messages[i]), i);
    repliedAt = timeOf(messages[i]);
  }
  request(timeOf(messages.at(-1)), messages.length);
  return lifetime;
}

function lifetimeAfter(pauses: readonly number[]): '5m' | '1h' {
  const latest = pauses.slice(-LATEST);
  const between = latest.filter((pause) => pause > SHORT_MS && pause <= LONG_MS);
  return between.length > 0 && between.length / latest.length >= PAYS_FROM ? '1h' : '5m';
}

function timeOf(message: Message | undefined): number {
  return message ? Date.parse(message.timestamp) : 0;
}
