import type { ToolDefinition } from './tool-definition.ts';
import type { VendorSummary } from './vendor-summary.ts';

/** Why a prefix was built: at the start, or at a boundary that the user or the window declared. */
export type EpochCause = 'start' | 'compaction' | 'uncompact' | 'model' | 'refresh' | 'repair';

/**
 * What was stated about the surroundings, by name (`mode`, `instructions:AGENTS.md`). Long texts are kept as digests:
 * they are only compared.
 */
export type Stated = Readonly<Record<string, string>>;

/**
 * A stretch of a conversation whose requests begin with the same bytes. Vendors bind a model's reasoning to what came
 * before it, so a prefix never changes within an epoch, and no reasoning outlives the epoch it was made in.
 */
export type Epoch = {
  /** Messages from this index on were made in this epoch. */
  from: number;
  cause: EpochCause;
  /** Which models can continue it: those with the same value. */
  reader: string;
  /** As sent: without the secrets that were known. */
  system: string;
  /** Which compaction it shows, by the number of messages then; absent if none. */
  compactedAt?: number;
  /** Of the conversation before; absent if there is none. */
  summary?: string;
  /** The conversation before, as its vendor summarized it; `summary` then has only what is kept beside it. */
  vendorSummary?: VendorSummary;
  tools: readonly ToolDefinition[];
  /** What the prefix states, to announce only what differs later. */
  stated: Stated;
};

/**
 * A secret of the conversation. It is masked in the messages of a request from this position on. Those before were
 * sent when it was not known yet (`exposed`), and stay as they were sent.
 */
export type SecretMask = { placeholder: string; from: number; exposed?: true };
