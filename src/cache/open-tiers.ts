import { createFileTier } from './file-tier.ts';
import type { RedisLine } from './redis-line.ts';
import { createRedisTier } from './redis-tier.ts';
import { createSeal } from './seal.ts';
import type { Tier } from './tier.ts';

export type TierOptions = {
  /** Absent where nothing is to be kept in files. */
  folder?: string;
  /** Absent without a server, or without a key: nothing goes there unsealed. */
  redis?: { line: RedisLine; key: string };
  onTrouble(text: string): void;
};

/** The tiers below the memory, the nearest first. */
export function openTiers({ folder, redis, onTrouble }: TierOptions): Tier[] {
  return [
    ...(folder === undefined ? [] : [createFileTier({ folder, onTrouble })]),
    ...(redis ? [createRedisTier(redis.line, createSeal(redis.key))] : []),
  ];
}
