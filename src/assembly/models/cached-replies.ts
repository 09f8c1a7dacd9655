import type { Store } from '../../cache/store.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { sha256 } from '../../lib/sha256.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';

export type KeptRepliesDeps = {
  /** Which vendor and server answers: the same words to another one are another request. */
  line: string;
  /** `main`: a conversation, where only temperature 0 promises the same answer. A side job has one answer in any case. */
  purpose: 'main' | 'helper';
  store(): Promise<Store<ProviderEvent[]>>;
  tell(event: AgentEvent): void;
};

/**
 * Gives the reply to a request again when the very same request comes once more; only at temperature 0, where a model
 * would say much the same, or for a side job of a model that takes no temperature. A reply that was cut, retried, or given by another model is not kept. What it cost is not
 * told again.
 */
export function keptReplies(provider: Provider, { line, purpose, store, tell }: KeptRepliesDeps): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const { temperature = purpose === 'helper' ? 0 : undefined } = request;
      if (temperature !== 0) {
        yield* provider.stream(request, signal);
        return;
      }
      const kept = await store();
      const key = keyOf(line, request);
      const found = await kept.get(key, '');
      tell({ type: 'cache', kind: 'llm', outcome: found ? 'hit' : 'miss', entries: kept.size });
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
          said.filter(({ type }) => type !== 'usage'),
          '',
        );
    },
  };
}

/** When a message was said, what it took, and how requests are told apart on the way, do not change what is asked. */
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
  return said;
}

function isWhole(events: readonly ProviderEvent[]): boolean {
  const last = events.at(-1);
  const isEnded = last?.type === 'stop' && (last.reason === 'end' || last.reason === 'tool_calls');
  return isEnded && !events.some(({ type }) => type === 'retry' || type === 'model');
}
