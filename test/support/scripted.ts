import type { CompletionRequest, Provider, ProviderEvent } from '../../src/contract/provider.ts';
import type { Answer } from './model-server/script.ts';

export type ScriptedModel = Provider & { requests: CompletionRequest[] };

/** An in-process model that plays these answers, one per request; an Error in the list is thrown. */
export function scripted(...script: (Answer | Error | ProviderEvent[])[]): ScriptedModel {
  const requests: CompletionRequest[] = [];
  return {
    name: 'scripted',
    requests,
    async *stream(request, signal) {
      const step = script[requests.length];
      requests.push({ ...request, messages: [...request.messages] });
      if (step === undefined)
        throw new Error(`The script has ${script.length} steps; this is request ${requests.length}.`);
      if (step instanceof Error) throw step;
      for (const event of Array.isArray(step) ? step : eventsOf(step)) {
        signal.throwIfAborted();
        yield event;
      }
    },
    countTokens: async () => null,
  };
}

function eventsOf({ parts, usage }: Answer): ProviderEvent[] {
  const events = parts.flatMap((part, i): ProviderEvent[] => {
    if (part.type !== 'call') return [{ type: part.type, text: part.text }];
    const { name, id, input, rawArguments, noArguments } = part;
    const json = noArguments ? '' : (rawArguments ?? JSON.stringify(input));
    const key = String(i);
    return [
      { type: 'tool_call_start', key, name, ...(id != null && { id }) },
      { type: 'tool_call_delta', key, json },
      { type: 'tool_call_end', key },
    ];
  });
  const figures = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, ...usage };
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = figures;
  const reason = parts.some((part) => part.type === 'call') ? 'tool_calls' : 'end';
  return [
    ...events,
    { type: 'usage', usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } },
    { type: 'stop', reason },
  ];
}
