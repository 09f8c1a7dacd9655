import type { CacheKind } from '../contract/cache.ts';

/** The lifetime and maximum number of values of a kind, and for large ones the maximum total characters. */
export type Limits = { ttlMs?: number; max: number; maxSize?: number };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Without `ttlMs`: for the session. Results by call id are cached by the agent, which needs them. */
export const limitsOf: Record<Exclude<CacheKind, 'tool_result'>, Limits> = {
  checksum: { ttlMs: 5 * MINUTE, max: 1000 },
  llm: { ttlMs: 10 * MINUTE, max: 100 },
  glob: { ttlMs: 30 * SECOND, max: 200 },
  grep: { ttlMs: 5 * MINUTE, max: 200, maxSize: 8_000_000 },
  read: { max: 500, maxSize: 32_000_000 },
};

/** For tiers that outlive the session. */
export const LONGEST_MS = 60 * MINUTE;
