import { isDeepStrictEqual } from 'node:util';
import type { Message, Usage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';
import { boundMessages, boundTokens } from '../../providers/models/token-bound.ts';

/** Vendors call their counts estimates, which may differ a little from the bill. */
const COUNT_MARGIN = 1.05;
const COUNT_MARGIN_TOKENS = 50;
/** A count near a limit is worth this wait. */
const COUNT_WAIT_MS = 10_000;
/** Conversations that alternate, such as those of subagents. */
const KNOWN_PROMPTS = 16;

/** A prompt, and the most tokens it has by its vendor's count. */
type KnownPrompt = { request: CompletionRequest; messages: readonly Message[]; tokens: number };

/**
 * Tokens that a prompt cannot exceed. A conversation only grows: what was sent before has the tokens that the vendor
 * reported for it, and only what is new is bounded by its bytes.
 */
export type PromptBound = {
  of(request: CompletionRequest): BoundedPrompt;
  /** From the usage that the vendor reported for this request. */
  learn(request: CompletionRequest, usage: Usage): void;
  /** Asks the vendor to count, where it does. */
  count(provider: Provider, request: CompletionRequest, signal: AbortSignal): Promise<BoundedPrompt>;
};

/** `isRough`: a count by the vendor could be much lower. */
export type BoundedPrompt = { tokens: number; isRough: boolean };

/** The part of a bound that comes from bytes, beyond which it is rough. */
const ROUGH = 0.1;

export function createPromptBound(): PromptBound {
  const known: KnownPrompt[] = [];
  /** A server that counts more than the bytes of one prompt may do so with the next. */
  const factors = new Map<string, number>();
  const keep = (request: CompletionRequest, tokens: number) => {
    known.unshift({ request, messages: [...request.messages], tokens });
    known.length = Math.min(known.length, KNOWN_PROMPTS);
  };
  const of = (request: CompletionRequest): BoundedPrompt => {
    const factor = factors.get(request.model) ?? 1;
    const bytes = Math.ceil(boundTokens(request) * factor);
    const bounds = known
      .map((prompt) => boundAfter(prompt, request, factor))
      .filter(({ tokens }) => tokens <= bytes);
    const { tokens, unknown } = bounds.sort((a, b) => a.tokens - b.tokens)[0] ?? {
      tokens: bytes,
      unknown: bytes,
    };
    return { tokens, isRough: unknown > tokens * ROUGH };
  };
  return {
    of,
    learn(request, { inputTokens, cacheReadTokens, cacheWriteTokens }) {
      const tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
      keep(request, tokens);
      factors.set(request.model, Math.max(factors.get(request.model) ?? 1, tokens / boundTokens(request)));
    },
    async count(provider, request, signal) {
      const answer = provider.countTokens(request, limited(COUNT_WAIT_MS, signal));
      const counted = await raceAbort(answer, limited(COUNT_WAIT_MS, signal)).catch(() => null);
      signal.throwIfAborted();
      // A search adds to the prompt after it was counted.
      if (counted !== null && !request.webSearch)
        keep(request, Math.ceil(counted * COUNT_MARGIN) + COUNT_MARGIN_TOKENS);
      return of(request);
    },
  };
}

/** Messages that both prompts begin with cannot have more tokens than the whole of the known one. */
function boundAfter(
  { request: before, messages, tokens }: KnownPrompt,
  request: CompletionRequest,
  factor: number,
) {
  if (!hasSameStart(before, request)) return { tokens: Number.POSITIVE_INFINITY, unknown: 0 };
  const different = messages.findIndex((message, i) => !isDeepStrictEqual(message, request.messages[i]));
  const shared = different === -1 ? messages.length : different;
  const unknown = Math.ceil(boundMessages(request.messages.slice(shared), request.model) * factor);
  return { tokens: tokens + unknown, unknown };
}

function hasSameStart(a: CompletionRequest, b: CompletionRequest): boolean {
  return (
    a.model === b.model &&
    a.system === b.system &&
    (a.summary ?? '') === (b.summary ?? '') &&
    a.effort === b.effort &&
    !b.webSearch &&
    isDeepStrictEqual(a.vendorSummary, b.vendorSummary) &&
    isDeepStrictEqual(a.tools ?? [], b.tools ?? [])
  );
}
