import { createFileTier } from './file-tier.ts';
import type { RedisLine } from './redis-line.ts';
import { createRedisTier } from './redis-tier.ts';
import { createSeal } from './seal.ts';
import type { Tier } from './tier.ts';

export type TierOptions = {
  /** Absent if nothing should be cached in files. */
  folder?: string;
  /** Absent without a server or a key: nothing is stored there unencrypted. */
  redis?: { line: RedisLine; key: string };
  onTrouble(text: string): void;
};

/** The tiers below memory, nearest first. */
export function openTiers({ folder, redis, onTrouble }: TierOptions): Tier[] {
  return [
    ...(folder === undefined ? [] : [createFileTier({ folder, onTrouble })]),
    ...(redis ? [createRedisTier(redis.line, createSeal(redis.key))] : []),
  ];
}
