import * as z from 'zod';
import { count } from './setting-kinds.ts';

const price = () => z.number().min(0);
/** Facts about a model. */
export const modelOverride = () =>
  z.strictObject({
    contextWindow: count().exactOptional().describe('Tokens the model can see at once'),
    maxOutputTokens: count().exactOptional().describe('Most tokens of one reply'),
    price: z
      .strictObject({ input: price(), output: price(), cacheRead: price(), cacheWrite: price() })
      .exactOptional()
      .describe('US dollars per million tokens'),
    abilities: z
      .strictObject({
        tools: z.boolean().exactOptional(),
        images: z.boolean().exactOptional(),
        thinking: z.boolean().exactOptional(),
      })
      .exactOptional()
      .describe('What the model can do'),
  });

/** One vendor. */
export const vendor = () =>
  z.strictObject({
    protocol: z
      .enum(['anthropic', 'openai-responses', 'openai-chat', 'google', 'ollama'])
      .exactOptional()
      .describe('The wire protocol its server speaks; openai-chat for a new vendor'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Where its server answers'),
    apiKey: z.string().min(1).exactOptional().describe('Its key; `keys set` is a safer place'),
    apiKeyEnv: z.string().min(1).exactOptional().describe('The environment variable that holds its key'),
    headers: z.record(z.string(), z.string()).exactOptional().describe('Headers sent with every request'),
    toolMode: z
      .enum(['native', 'xml', 'fence', 'grammar'])
      .exactOptional()
      .describe(
        'How its models call tools: by the protocol, in text as XML or fenced blocks, or as JSON the server holds to a schema',
      ),
  });
