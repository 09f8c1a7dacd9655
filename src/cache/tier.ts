/**
 * A cache tier below memory that stores values as text. If it cannot answer in time, it reports a miss; it
 * never throws, and nothing depends on it.
 */
export type Tier = {
  get(key: TierKey): Promise<string | null>;
  set(key: TierKey, text: string, ttlMs: number): Promise<void>;
  close(): Promise<void>;
};

/** `name` is a SHA-256, so that names reveal nothing. */
export type TierKey = { kind: string; name: string };
