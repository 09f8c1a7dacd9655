import { LRUCache } from 'lru-cache';
import { sha256 } from '../lib/sha256.ts';
import { parseJson } from '../lib/text/json.ts';
import { type Limits, LONGEST_MS } from './kinds.ts';
import type { Tier } from './tier.ts';

/**
 * Values by key, each with a proof: what must still hold for the value to be valid, such as the checksum of
 * the file it was read from. A value with another proof is a miss.
 */
export type Store<V> = {
  get(key: string, proof: string): Promise<V | null>;
  /** Sets it in memory at once; the tiers below are written in the background. */
  set(key: string, value: V, proof: string): void;
  /** From memory only. In the tiers below, a value with an outdated proof is never found again. */
  delete(key: string): boolean;
  clear(): void;
  entries(): [key: string, value: V][];
  readonly size: number;
  /** Resolves when the tiers below have all values set so far. */
  written(): Promise<void>;
};

export type StoreOptions<V> = {
  kind: string;
  /** In the tiers below, a value is found only in the scope it was set in. */
  scope?: string;
  limits: Limits;
  /** Nearest first. */
  tiers?: readonly Tier[];
  /** Validates a parsed value from the tiers below; null if it is invalid. */
  read?(value: unknown): V | null;
  sizeOf?(value: V): number;
  now?(): number;
};

export function createStore<V>(options: StoreOptions<V>): Store<V> {
  const { kind, scope = '', limits, tiers = [], read = () => null, sizeOf = () => 1 } = options;
  const { max, ttlMs = 0, maxSize } = limits;
  const memory = new LRUCache<string, { value: V; proof: string }>({
    max,
    ttl: ttlMs,
    ...(options.now && { perf: { now: options.now }, ttlResolution: 0 }),
    ...(maxSize !== undefined && {
      maxSize,
      // One value must not evict all others.
      maxEntrySize: maxSize / 4,
      sizeCalculation: ({ value }: { value: V }) => Math.max(1, sizeOf(value)),
    }),
  });
  const longest = ttlMs || LONGEST_MS;
  const nameOf = (key: string, proof: string) => ({ kind, name: sha256([scope, key, proof].join('\0')) });
  const writing = new Set<Promise<void>>();

  function below(tiers: readonly Tier[], action: (tier: Tier) => Promise<void>): void {
    for (const tier of tiers) {
      const done = action(tier).finally(() => writing.delete(done));
      writing.add(done);
    }
  }

  return {
    async get(key, proof) {
      const near = memory.get(key);
      if (near?.proof === proof) return near.value;
      for (const [i, tier] of tiers.entries()) {
        const text = await tier.get(nameOf(key, proof));
        const value = text === null ? null : read(parseJson(text));
        if (text === null || value === null) continue;
        memory.set(key, { value, proof });
        below(tiers.slice(0, i), (nearer) => nearer.set(nameOf(key, proof), text, longest));
        return value;
      }
      return null;
    },
    set(key, value, proof) {
      memory.set(key, { value, proof });
      if (tiers.length === 0) return;
      const text = JSON.stringify(value);
      below(tiers, (tier) => tier.set(nameOf(key, proof), text, longest));
    },
    delete: (key) => memory.delete(key),
    clear: () => memory.clear(),
    entries: () => [...memory.entries()].map(([key, { value }]) => [key, value]),
    get size() {
      return memory.size;
    },
    written: async () => {
      await Promise.all(writing);
    },
  };
}
