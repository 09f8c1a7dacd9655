import { counted } from '../lib/text/counted.ts';
/** A maximum. Tokens include all kinds: input, cached and output. */
export type Limit = { unit: 'usd' | 'tokens' | 'turns'; amount: number };

/** What a limit applies to. */
export type LimitScope = 'run' | 'session' | 'day';

const SUFFIXES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };
const UNITS: readonly (readonly [RegExp, Limit['unit']])[] = [
  [/^(usd|dollars?|\$)$/, 'usd'],
  [/^(tok|tokens?)?$/, 'tokens'],
  [/^turns?$/, 'turns'],
];
const WRITTEN = /^\+?(\$?)\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*([kmb]?)\s*([a-z$]*)$/i;
/** Dollars are rounded to a millionth. */
const MICRO = 1e6;

/**
 * `$5`, `500k tokens`, `2M`, `1,500,000`, `40 turns`, each optionally with a plus. Null if it is not a limit.
 */
export function parseLimit(text: string): Limit | null {
  const [, sign = '', digits = '', suffix = '', word = ''] = WRITTEN.exec(text.trim()) ?? [];
  const named = UNITS.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
  if (digits === '' || named === undefined || (sign !== '' && word !== '' && named !== 'usd')) return null;
  const unit = sign === '' ? named : 'usd';
  const exact = Number(digits.replaceAll(',', '')) * (SUFFIXES[suffix.toLowerCase()] ?? Number.NaN);
  const amount = unit === 'usd' ? Math.round(exact * MICRO) / MICRO : Math.round(exact);
  return amount > 0 && amount <= Number.MAX_SAFE_INTEGER / MICRO ? { unit, amount } : null;
}

/** Several are joined with `and`: `$5 and 40 turns`. Null if one of them is not a limit. */
export function parseLimits(text: string): Limit[] | null {
  const limits = text.split(/\s+and\s+/i).map(parseLimit);
  return limits.every((limit) => limit !== null) ? limits : null;
}

/** Fewer tokens than any request has. */
const FEWEST_TOKENS = 1_000;

/** What is wrong with a limit that somebody writes; null if nothing is. A small bare number may mean anything. */
export function limitProblem(text: string): string | null {
  if (parseLimits(text) === null) return "Use a limit such as '$5', '500k tokens' or '40 turns'.";
  const bare = text.split(/\s+and\s+/i).find((one) => /^\s*\+?[\d.,]+\s*$/.test(one));
  if (bare === undefined || (parseLimit(bare)?.amount ?? 0) >= FEWEST_TOKENS) return null;
  const number = bare.trim().replace(/^\+/, '');
  return `${number} what? Write '$${number}', '${number}k tokens' or '${number} turns'.`;
}

const LONGEST_WORDS = 80;
const AT_THE_END: readonly RegExp[] = [
  /\S\s+(\+\$?[\d.,]*\d[kmb]?(?:\s+(?:tokens|turns))?)[.!]?\s*$/i,
  /\b(?:spend|budget)(?:\s+of|:)?(?:\s+(?:at most|up to|no more than))?\s+(\$?[\d.,]*\d[kmb]?(?:\s+(?:tokens|turns|dollars))?)[.!]?\s*$/i,
];

/**
 * A limit at the end of a prompt, such as `+500k`, `+$5`, `+2M tokens`, `spend at most $5` or `budget 2M
 * tokens`. A small bare number is not one: people write `+1` for other reasons.
 */
export function limitInPrompt(prompt: string): Limit | null {
  // A prompt may contain a whole log: only search its end.
  const end = prompt.trimEnd().slice(-LONGEST_WORDS);
  const words = AT_THE_END.map((pattern) => pattern.exec(end)?.[1]).find((found) => found !== undefined);
  const isLimit = /\$|\d[kmb]\b|turns|dollars|(?:\d{4}|,\d{3})\s+tokens/i.test(words ?? '');
  return words !== undefined && isLimit ? parseLimit(words) : null;
}

/** Parses back to the same limit. */
export function formatLimit({ unit, amount }: Limit): string {
  if (unit === 'usd') return formatUsd(amount);
  return counted(amount, unit.slice(0, -1));
}

/** With as many digits as needed to differ from zero. */
export function formatUsd(amount: number): string {
  const digits = amount >= 0.01 || amount === 0 ? 2 : 4;
  const short = amount.toFixed(digits);
  const exact = Number(short) === amount ? short : amount.toFixed(6).replace(/0{1,4}$/, '');
  return `$${exact.replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}

/** For display: cents, and more digits for small amounts. */
export function shortUsd(amount: number): string {
  if (amount > 0 && amount < 0.0001) return 'under $0.0001';
  return formatUsd(Number(amount.toFixed(amount < 1 ? 4 : 2)));
}
