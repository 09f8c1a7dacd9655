import type { Store } from '../../cache/store.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { sha256 } from '../../lib/sha256.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';

export type CachedRepliesDeps = {
  /** The vendor and server: another one gives another reply. */
  line: string;
  /**
   * `main`: a conversation, where only temperature 0 implies the same answer. Background work is always
   * cacheable.
   */
  purpose: 'main' | 'helper';
  store(): Promise<Store<ProviderEvent[]>>;
  emit(event: AgentEvent): void;
};

/**
 * Replays the reply to an identical request; only at temperature 0, where a model would answer much the same,
 * or for background work of a model without a temperature. Replies that were cut, retried, or given by a
 * fallback model are not cached. Usage is not reported again.
 */
export function cachedReplies(
  provider: Provider,
  { line, purpose, store, emit }: CachedRepliesDeps,
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const { temperature = purpose === 'helper' ? 0 : undefined } = request;
      if (temperature !== 0 || request.webSearch) {
        yield* provider.stream(request, signal);
        return;
      }
      const kept = await store();
      const key = keyOf(line, request);
      const found = await kept.get(key, '');
      emit({ type: 'cache', kind: 'llm', outcome: found ? 'hit' : 'miss', entries: kept.size });
      signal.throwIfAborted();
      if (found) {
        yield* found.map((event) => ({ ...event }));
        return;
      }
      const said: ProviderEvent[] = [];
      for await (const event of provider.stream(request, signal)) {
        said.push(event);
        yield event;
      }
      if (isWhole(said))
        kept.set(
          key,
          said.filter(({ type }) => type !== 'usage' && type !== 'loading'),
          '',
        );
    },
  };
}

/** Timestamps, usage, routing keys and who sent a prompt don't affect the reply. */
function keyOf(line: string, { cacheKey: _route, messages, ...rest }: CompletionRequest): string {
  return sha256(canonicalJson({ line, ...rest, messages: messages.map(asked) }));
}

function asked(message: Message): object {
  const { timestamp: _when, ...said } = message;
  if (said.role === 'assistant') {
    const { usage: _took, stopReason: _why, ...rest } = said;
    return rest;
  }
  if (said.role === 'tool') {
    const { metadata: _about, ...rest } = said;
    return rest;
  }
  const unsigned = said.content.map((part) => {
    if (part.type !== 'text') return part;
    const { sent: _who, ...rest } = part;
    return rest;
  });
  return { ...said, content: unsigned };
}

function isWhole(events: readonly ProviderEvent[]): boolean {
  const last = events.at(-1);
  const isEnded = last?.type === 'stop' && (last.reason === 'end' || last.reason === 'tool_calls');
  return isEnded && !events.some(({ type }) => type === 'retry' || type === 'model');
}
