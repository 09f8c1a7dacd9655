/** A conversation as its vendor summarized it: opaque, sent back unchanged, and only to the provider that made it. */
export type VendorSummary = { provider: string; items: readonly unknown[] };
