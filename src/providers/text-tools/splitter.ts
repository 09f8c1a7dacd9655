import type { ProviderEvent } from '../../contract/provider.ts';

/** Splits the chunks of one reply's content into text and thinking. */
export type Splitter = { push(text: string): ProviderEvent[]; end(): ProviderEvent[] };
