import type { ProviderEvent } from '../contract/provider.ts';
import { limitsOf } from './kinds.ts';
import { createStore, type Store } from './store.ts';
import type { Tier } from './tier.ts';

/** Complete model replies, by request. */
export function createReplyStore(tiers: readonly Tier[]): Store<ProviderEvent[]> {
  return createStore({ kind: 'llm', limits: limitsOf.llm, tiers, read: asReply });
}

function asReply(value: unknown): ProviderEvent[] | null {
  const isReply = Array.isArray(value) && value.every((event) => typeof event?.type === 'string');
  // Written by this program, encrypted or with a checksum.
  return isReply ? (value as ProviderEvent[]) : null;
}
