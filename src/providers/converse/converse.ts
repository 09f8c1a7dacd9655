import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { fromStreamedError } from '../errors/vendor-errors.ts';
import { frameIn, serverEvents, withoutEnd } from '../http/server-events.ts';
import { brokenWire, watchWire } from '../http/wire-watch.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { type ConverseFrame, newReply, toEvents } from './events.ts';
import { toWire } from './wire.ts';

/** Bedrock's Converse API; its endpoint signs requests, and turns the event stream into server-sent events. */
export const createConverse: CreateProvider = (options) => ({
  name: options.name,
  stream: (request, signal) => stream(request, options, signal),
  countTokens: async () => null,
});

async function* stream(
  request: CompletionRequest,
  options: ProviderOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const { endpoint } = options;
  if (!endpoint) throw new Error('The Converse API has no address of its own.');
  const state = newReply(request.tools);
  const watch = watchWire(options);
  let hasOutput = false;
  try {
    const { url, body } = endpoint.stream(request.model, toWire(request, options));
    const response = await watch.post(url, { headers: {}, body, signal });
    for await (const { event, data } of serverEvents(response.body)) {
      if (event === 'error') throw streamedError(data, options);
      for (const said of toEvents(frameIn(data, { watch, options }) as ConverseFrame, state)) {
        hasOutput ||= said.type !== 'usage';
        yield said;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    // After the stop, only the usage can be missing.
    if (state.stop === undefined) throw brokenWire(error, { options, hasOutput });
  }
  signal.throwIfAborted();
  if (state.stop === undefined) throw withoutEnd({ watch, options, hasOutput });
  yield { type: 'stop', reason: state.stop };
}

function streamedError(data: string, options: ProviderOptions): Error {
  const { error } = JSON.parse(data) as { error: unknown };
  return fromStreamedError(error, options, { unknown: 500 });
}
