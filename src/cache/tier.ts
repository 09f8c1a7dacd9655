/**
 * A place below the memory where values are kept as texts. One that cannot answer in time says that nothing is there;
 * it never throws, and nothing depends on it.
 */
export type Tier = {
  get(key: TierKey): Promise<string | null>;
  set(key: TierKey, text: string, ttlMs: number): Promise<void>;
  close(): Promise<void>;
};

/** `name` is a SHA-256, so that a place that names its values tells nothing by their names. */
export type TierKey = { kind: string; name: string };
