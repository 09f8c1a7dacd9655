import type { CompletionRequest, Provider, ProviderEvent } from '../contract/provider.ts';
import type { TextCall } from './text-tools-calls.ts';
import { type TextFormat, writeHistory } from './text-tools-history.ts';
import { createCallParser } from './text-tools-parse.ts';
import { writeSystem } from './text-tools-prompt.ts';

/**
 * Gives tools to a model that has none: they are described in the system prompt, and calls and results travel as
 * text. `format` is how the model is asked to write its calls; what it writes is read in either form.
 */
export function withTextTools(provider: Provider, { format }: { format: TextFormat }): Provider {
  return {
    name: provider.name,
    async *stream(request, signal) {
      const events = provider.stream(asText(request, format), signal);
      const tools = request.tools?.map(({ name }) => name) ?? [];
      yield* tools.length === 0 ? events : extractCalls(events, tools);
    },
    countTokens: (request, signal) => provider.countTokens(asText(request, format), signal),
  };
}

function asText({ tools = [], ...request }: CompletionRequest, format: TextFormat): CompletionRequest {
  return {
    ...request,
    system: tools.length === 0 ? request.system : writeSystem(request.system, tools, format),
    messages: writeHistory(request.messages, format),
  };
}

/**
 * Calls are told only when the reply ends: until then a bare `</think>` may still turn what was said into
 * thoughts, and a call that was only thought of must not run.
 */
async function* extractCalls(
  events: AsyncIterable<ProviderEvent>,
  tools: readonly string[],
): AsyncGenerator<ProviderEvent> {
  let parser = createCallParser(tools);
  let calls: TextCall[] = [];
  let thought = '';

  function* finish(): Generator<ProviderEvent> {
    const rest = parser.end();
    calls.push(...rest.calls);
    yield* said(rest.text);
    for (const [index, { name, json }] of calls.entries()) {
      const key = `text-${index}`;
      yield { type: 'tool_call_start', key, name };
      yield { type: 'tool_call_delta', key, json };
      yield { type: 'tool_call_end', key };
    }
  }

  function* reclassify(event: Extract<ProviderEvent, { type: 'reclassify' }>): Generator<ProviderEvent> {
    const rest = parser.end();
    parser = createCallParser(tools);
    yield* said(rest.text);
    if (event.as === 'thinking') return yield event;
    const whole = createCallParser(tools);
    whole.push(thought);
    const inThought = whole.end().calls;
    calls = [...inThought, ...rest.calls];
    // Already shown as a thought, a block cannot be taken out of what would become text; so it stays a thought.
    if (inThought.length === 0) yield event;
  }

  try {
    for await (const event of events) {
      if (event.type === 'text') yield* said(parser.push(event.text));
      else if (event.type === 'reclassify') yield* reclassify(event);
      else if (event.type === 'stop') {
        yield* finish();
        const called = calls.length > 0 && event.reason === 'end';
        return yield called ? { type: 'stop', reason: 'tool_calls' } : event;
      } else {
        if (event.type === 'thinking') thought += event.text;
        yield event;
      }
    }
  } catch (error) {
    yield* finish();
    throw error;
  }
  yield* finish();
}

function* said(text: string): Generator<ProviderEvent> {
  if (text !== '') yield { type: 'text', text };
}
