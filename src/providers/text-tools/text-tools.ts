import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { fitTypes } from './fit-types.ts';
import { createGrammarReader, grammarSchema } from './grammar.ts';
import { type TextFormat, writeHistory } from './history.ts';
import { CallParser, type CallReader } from './parse.ts';
import { writeSystem } from './prompt.ts';
import type { TextCall } from './text-call.ts';

/**
 * How a model calls tools. `native`: by the protocol. `xml`, `fence`: in its text. `grammar`: its whole reply
 * is JSON that the server constrains to a schema.
 */
export type ToolMode = 'native' | TextFormat;

export type TextToolsOptions = { mode: ToolMode; resultRole: 'tool' | 'user' };

/**
 * Adds tool support to a model without it: tools are described in the system prompt, and calls and results
 * are sent as text. `mode` is the format requested from the model; replies are parsed in any format. Also
 * recognizes text calls of a model with native tools.
 */
export function withTextTools(provider: Provider, options: TextToolsOptions): Provider {
  return {
    name: provider.name,
    async *stream(request, signal) {
      const events = provider.stream(asText(request, options), signal);
      const tools = request.tools?.map(({ name }) => name) ?? [];
      const fit = (call: TextCall) => fitTypes(call, request.tools ?? []);
      const open = () => (options.mode === 'grammar' ? createGrammarReader(tools) : new CallParser(tools));
      yield* tools.length === 0 ? events : extractCalls(events, { open, fit });
    },
    countTokens: (request, signal) => provider.countTokens(asText(request, options), signal),
  };
}

function asText(request: CompletionRequest, { mode, resultRole }: TextToolsOptions): CompletionRequest {
  const format = mode === 'native' ? 'xml' : mode;
  const isNative = mode === 'native' && resultRole === 'tool';
  const messages = isNative ? request.messages : writeHistory(request.messages, { format, resultRole });
  if (mode === 'native') return { ...request, messages };
  const { tools = [], ...rest } = request;
  if (tools.length === 0) return { ...rest, messages };
  return {
    ...rest,
    system: writeSystem(request.system, tools, mode),
    messages,
    ...(mode === 'grammar' && { replySchema: grammarSchema(tools) }),
  };
}

/**
 * Calls are emitted only when the reply ends: until then a bare `</think>` may still turn the text into
 * thinking, and a call inside thinking must not run.
 */
async function* extractCalls(
  events: AsyncIterable<ProviderEvent>,
  { open, fit }: { open(): CallReader; fit(call: TextCall): TextCall },
): AsyncGenerator<ProviderEvent> {
  let parser = open();
  let calls: TextCall[] = [];
  let thought = '';

  function* finish(how?: { cut: boolean }): Generator<ProviderEvent> {
    const rest = parser.end(how);
    calls.push(...rest.calls);
    yield* said(rest.text);
    for (const [index, { name, json }] of calls.map(fit).entries()) {
      const key = `text-${index}`;
      yield { type: 'tool_call_start', key, name };
      yield { type: 'tool_call_delta', key, json };
      yield { type: 'tool_call_end', key };
    }
  }

  function* reclassify(event: Extract<ProviderEvent, { type: 'reclassify' }>): Generator<ProviderEvent> {
    const rest = parser.end();
    parser = open();
    yield* said(rest.text);
    if (event.as === 'thinking') return yield event;
    const whole = open();
    whole.push(thought);
    const inThought = whole.end().calls;
    calls = [...inThought, ...rest.calls];
    // A block already shown as thinking cannot be removed from what would become text, so it stays thinking.
    if (inThought.length === 0) yield event;
  }

  try {
    for await (const event of events) {
      if (event.type === 'text') yield* said(parser.push(event.text));
      else if (event.type === 'reclassify') yield* reclassify(event);
      else if (event.type === 'stop') {
        yield* finish({ cut: event.reason === 'max_tokens' });
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
