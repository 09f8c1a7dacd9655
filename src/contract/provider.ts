import type { ProviderErrorKind } from './errors.ts';
import type { Message, StopReason, Usage } from './message.ts';

/** A tool as a model sees it: `parameters` is JSON Schema. */
export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };

export type CompletionRequest = {
  /** The vendor's own model name, without our `provider/` prefix. */
  model: string;
  system: string;
  /** What was said before the messages, in short; changes only at a compaction. */
  summary?: string;
  messages: readonly Message[];
  tools?: readonly ToolDefinition[];
  maxTokens?: number;
  temperature?: number;
  stopSequences?: readonly string[];
  /** How hard the model should think, where it can; absent means the vendor's default. */
  effort?: 'low' | 'medium' | 'high';
  /** Stable for a session, so that vendors can route it to a warm prompt cache. */
  cacheKey?: string;
  /** JSON Schema the whole reply must fit, where the server can see to it; elsewhere it is ignored. */
  replySchema?: Record<string, unknown>;
};

/**
 * What a provider streams. `key` names one call within one reply (a block index, a vendor id): the pieces
 * of different calls may interleave. A well-ended stream has exactly one `stop`, as its last event; a stream
 * that ends without one was cut.
 */
export type ProviderEvent =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** Everything said in this reply so far was in truth this: a bare `</think>` came, or never came. */
  | { type: 'reclassify'; as: 'text' | 'thinking' }
  /** Closes the thought before it. */
  | { type: 'thinking_signature'; signature: string; redacted?: true }
  /** Closes the text before it; it may also stand alone. */
  | { type: 'text_signature'; signature: string }
  | { type: 'tool_call_start'; key: string; id?: string; name: string; signature?: string }
  | { type: 'tool_call_delta'; key: string; json: string }
  | { type: 'tool_call_end'; key: string }
  /** Running totals for this reply: a later one replaces an earlier one. */
  | { type: 'usage'; usage: Usage }
  /** Another model than the one that was asked answers this time. */
  | { type: 'model'; provider: string; model: string }
  /**
   * The model is asked again after the delay. What it has said stays, and it is asked to go on from there; calls it
   * had begun, and a thought it had not ended, are void.
   */
  | { type: 'retry'; kind: ProviderErrorKind; message: string; attempt: number; delayMs: number }
  | { type: 'stop'; reason: StopReason };

/** One model endpoint. Every failure is a `ProviderError`; aborting the signal ends the stream by throwing. */
export type Provider = {
  name: string;
  stream(request: CompletionRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** Exact where the vendor can count, an estimate elsewhere. */
  countTokens(request: CompletionRequest, signal: AbortSignal): Promise<number>;
};

/** What is known of one model. Prices are US dollars per million tokens; null means unknown. */
export type ModelInfo = {
  provider: string;
  id: string;
  contextWindow: number;
  maxOutputTokens: number;
  price: { input: number; output: number; cacheRead: number; cacheWrite: number } | null;
  abilities: { tools: boolean; images: boolean; thinking: boolean };
};
