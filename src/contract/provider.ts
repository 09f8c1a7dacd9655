import type { ProviderErrorKind } from './errors.ts';
import type { Message, StopReason, TextPhase, Usage } from './message.ts';
import type { Effort, EffortChoice, EffortLevels } from './request/effort.ts';
import type { SecretMask } from './request/epoch.ts';
import type { ToolDefinition } from './request/tool-definition.ts';
import type { VendorSummary } from './request/vendor-summary.ts';
import type { WebHit, WebQuery } from './web-search.ts';

export type CompletionRequest = {
  /** The vendor's own model name, without our `provider/` prefix. */
  model: string;
  system: string;
  /** A summary of the conversation before the messages; changes only at a compaction. */
  summary?: string;
  /** The conversation before the messages, as this vendor summarized it. */
  vendorSummary?: VendorSummary;
  /** In place of a reply, the vendor summarizes the conversation in its own form (`summarized`). */
  summarize?: true;
  messages: readonly Message[];
  tools?: readonly ToolDefinition[];
  maxTokens?: number;
  temperature?: number;
  stopSequences?: readonly string[];
  /**
   * How hard the model should think before the first message; absent means the vendor's default. Prompts may change it
   * (`UserMessage.effort`). A level that the model lacks is replaced by the nearest one.
   */
  effort?: Effort;
  /** Chosen while the model works: holds for this request, and no message records it yet. */
  effortForNext?: EffortChoice;
  /** How long the vendor should keep the prompt after its last use, where it lets clients choose; absent: `5m`. */
  cacheLifetime?: '1h';
  /** Stable for a session, so that vendors can route it to a warm prompt cache. */
  cacheKey?: string;
  /** JSON Schema the whole reply must match, where the server can enforce it; ignored elsewhere. */
  replySchema?: Record<string, unknown>;
  /** For the requests of a conversation; absent in others. */
  sent?: SentBefore;
  /** The model may search the web with its vendor's own tool; ignored by vendors without one. */
  webSearch?: Pick<WebQuery, 'allowedDomains' | 'blockedDomains'>;
};

/**
 * What of a conversation was sent before: it stays as it was sent. System prompt, summary and tools are already without
 * secrets; of the messages, those before `messages` were sent, with these masks.
 */
export type SentBefore = {
  messages: number;
  masks: readonly SecretMask[];
  /** Called with masks that are new; `at` is where an exposed secret was sent. */
  onMasked(masks: readonly (SecretMask & { at?: number })[]): void;
};

/**
 * What a provider streams. `key` identifies one call within one reply (a block index, a vendor id): deltas of
 * different calls may interleave. A complete stream has exactly one `stop`, as its last event; a stream that
 * ends without one was cut.
 */
export type ProviderEvent =
  /** `note`: a progress note, shown as text; its vendor wants it back as a thought, and signs it as one. */
  | { type: 'text'; text: string; note?: true }
  | { type: 'thinking'; text: string }
  /** Reclassifies all text of this reply so far: a bare `</think>` arrived, or never arrived. */
  | { type: 'reclassify'; as: 'text' | 'thinking' }
  /** Closes the preceding thought. */
  | { type: 'thinking_signature'; signature: string; redacted?: true }
  /** Closes the preceding text; a signature may also come without text. */
  | { type: 'text_end'; signature?: string; phase?: TextPhase }
  | { type: 'tool_call_start'; key: string; id?: string; name: string; signature?: string }
  | { type: 'tool_call_delta'; key: string; json: string }
  | { type: 'tool_call_end'; key: string }
  /** Running totals for this reply: a later event replaces an earlier one. `tier` served it, in the vendor's word. */
  | { type: 'usage'; usage: Usage; tier?: string }
  /** What the vendor's own search found: how many searches were made, and pages, which may repeat with more text. */
  | { type: 'web_search'; searches: number; hits: WebHit[] }
  /** A model other than the requested one answers this time. */
  | { type: 'model'; provider: string; model: string }
  /**
   * The request is retried after the delay. The text so far stays, and the model is asked to continue from
   * there; unfinished calls and thoughts are void.
   */
  | { type: 'retry'; kind: ProviderErrorKind; message: string; attempt: number; delayMs: number }
  /** The vendor left out, or allowed, thinking in the request that does not fit its place; it reports which. */
  | { type: 'input_transformed'; transformations: InputTransformation[] }
  /** What a vendor made of the conversation, and the same in words if it can be read. */
  | { type: 'summarized'; items: readonly unknown[]; text?: string }
  /** A local model is being loaded from a file of this size; `share` is done, from 0 to 1. */
  | { type: 'loading'; file: string; bytes: number; share: number }
  | { type: 'stop'; reason: StopReason; refusal?: Refusal };

/** `kind`, such as `thinking_dropped`, `reason` and `path` in the request: the vendor's own words. */
export type InputTransformation = { kind: string; reason: string; path: string };

/** Why the vendor let its model decline, in its own word, and the model that the user configured for failures. */
export type Refusal = { category?: string; fallbackModel?: string };

/**
 * One model endpoint. Every failure is a `ProviderError`; aborting the signal ends the stream by throwing.
 */
export type Provider = {
  name: string;
  stream(request: CompletionRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** The tokens of a prompt as its vendor counts them; null where it does not count, or did not answer. */
  countTokens(request: CompletionRequest, signal: AbortSignal): Promise<number | null>;
};

/** Properties of a model. Prices are US dollars per million tokens; null means unknown. */
export type ModelInfo = {
  provider: string;
  id: string;
  contextWindow: number;
  maxOutputTokens: number;
  price: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    /** For a cache that lasts an hour. */
    cacheWriteHour?: number;
  } | null;
  abilities: { tools: boolean; images: boolean; thinking: boolean };
  /** If known. */
  effort?: EffortLevels;
};
