import { ProviderError } from '../../contract/errors.ts';
import type { AssistantMessage } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';

/** Says which reply a request gets: `end` if the conversation went no further, null if it is not part of it. */
export type NextReply = (request: CompletionRequest) => Promise<AssistantMessage | 'end' | null>;

export type PlayerOptions = {
  name: string;
  next: NextReply;
  /** Ends the run, as it ended before. */
  interrupt(): void;
  /** Called with each reply that is about to be played; may add the usage of another model. */
  before?(request: CompletionRequest, reply: AssistantMessage, signal: AbortSignal): Promise<ProviderEvent[]>;
};

/** A model that says again what the journal has. */
export function createPlayer({ name, next, interrupt, before }: PlayerOptions): Provider {
  const stop = (): never => {
    interrupt();
    throw new ProviderError('The session ended here.', { kind: 'bad_request', provider: name });
  };
  return {
    name,
    async *stream(request, signal) {
      const reply = await next(request);
      if (reply === 'end') return stop();
      if (reply === null) {
        // Background work, such as a summary: what it says changes nothing that is compared.
        yield { type: 'text', text: '(not part of the replay)' };
        yield { type: 'stop', reason: 'end' };
        return;
      }
      const extra = (await before?.(request, reply, signal)) ?? [];
      yield* eventsOf(reply);
      yield* extra;
      if (reply.stopReason === 'cut' || reply.stopReason === 'aborted') return stop();
      yield { type: 'stop', reason: reply.stopReason };
    },
    countTokens: async () => null,
  };
}

function* eventsOf({ content }: AssistantMessage): Generator<ProviderEvent> {
  for (const [i, part] of content.entries()) {
    const key = String(i);
    switch (part.type) {
      case 'text':
        yield { type: 'text', text: part.text };
        break;
      case 'thinking':
        if (part.note) yield { type: 'text', text: part.text, note: true };
        else if (part.text !== '') yield { type: 'thinking', text: part.text };
        break;
      case 'tool_call': {
        const json = part.cut ? '{"' : (part.malformed ?? JSON.stringify(part.input));
        yield { type: 'tool_call_start', key, id: part.id, name: part.name };
        yield { type: 'tool_call_delta', key, json };
        if (!part.cut) yield { type: 'tool_call_end', key };
        break;
      }
      default:
        part satisfies never;
    }
  }
}
