import type { Provider } from '../contract/provider.ts';
import { estimateTokens } from './estimate.ts';
import { type ChatFrame, closeReply, openReply, toEvents } from './openai-chat-events.ts';
import { type ChatOptions, toWire } from './openai-chat-wire.ts';
import { fromOpenAI, openaiClient, withoutEnd } from './openai-client.ts';
import { wireNames } from './tool-names.ts';
import { type Watched, watchWire } from './wire-watch.ts';

/** OpenAI's Chat Completions, which most vendors and local servers speak, each with its quirks. */
export function createOpenAIChat(options: ChatOptions): Provider {
  const client = openaiClient(options);
  return {
    name: options.name,
    countTokens: async (request) => estimateTokens(request),
    async *stream(request, signal) {
      const watch = watchWire(options);
      const reply = openReply(wireNames(request.tools ?? []), options.quirks?.think ?? 'tags');
      let begun = false;
      try {
        const fetchOptions: Watched = { watch };
        const frames = await client().chat.completions.create(toWire(request, options), {
          signal,
          fetchOptions,
        });
        for await (const frame of frames) {
          for (const event of toEvents(frame as ChatFrame, reply)) {
            begun ||= event.type !== 'usage';
            yield event;
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        // Once the model has finished, only the usage can be missing.
        if (reply.finish === undefined) throw fromOpenAI(error, { watch, options, begun });
      }
      signal.throwIfAborted();
      if (reply.finish === undefined) throw withoutEnd({ watch, options, begun });
      yield* closeReply(reply);
    },
  };
}
