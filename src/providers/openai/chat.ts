import type { Provider } from '../../contract/provider.ts';
import { senderTo } from '../http/sender.ts';
import { frameIn, serverEvents, withoutEnd } from '../http/server-events.ts';
import { brokenWire, watchWire } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import { wireNames } from '../tool-names.ts';
import { type ChatFrame, closeReply, openReply, toEvents } from './chat-events.ts';
import { type ChatOptions, toWire } from './chat-wire.ts';
import { openaiClient } from './client.ts';

/** OpenAI's Chat Completions, which most vendors and local servers speak, each with its quirks. */
export function createOpenAIChat(options: ChatOptions): Provider {
  const send = senderTo('/chat/completions', openaiClient(options));
  return {
    name: options.name,
    countTokens: async (request) => estimateTokens(request),
    async *stream(request, signal) {
      const watch = watchWire(options);
      const reply = openReply(wireNames(request.tools ?? []), options.quirks?.think ?? 'tags');
      let begun = false;
      try {
        const response = await send(toWire(request, options), { watch, signal });
        for await (const { data } of serverEvents(response.body)) {
          if (data.startsWith('[DONE]')) break;
          for (const event of toEvents(frameIn(data, { watch, options }) as ChatFrame, reply)) {
            begun ||= event.type !== 'usage';
            yield event;
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        // Once the model has finished, only the usage can be missing.
        if (reply.finish === undefined) throw brokenWire(error, { watch, options, begun });
      }
      signal.throwIfAborted();
      if (reply.finish === undefined) throw withoutEnd({ watch, options, begun });
      yield* closeReply(reply);
    },
  };
}
