import * as z from 'zod';
import { effortLevels } from '../../contract/request/effort.ts';
import { tiers } from '../../contract/request/tier.ts';
import { count } from './setting-kinds.ts';

const price = () => z.number().min(0);
/** Facts about a model. */
export const modelOverride = () =>
  z.strictObject({
    contextWindow: count().exactOptional().describe('Context window of the model, in tokens'),
    maxOutputTokens: count().exactOptional().describe('Maximum tokens per reply'),
    price: z
      .strictObject({ input: price(), output: price(), cacheRead: price(), cacheWrite: price() })
      .exactOptional()
      .describe('Price in US dollars per million tokens'),
    abilities: z
      .strictObject({
        tools: z.boolean().exactOptional(),
        images: z.boolean().exactOptional(),
        thinking: z.boolean().exactOptional(),
      })
      .exactOptional()
      .describe('What the model supports'),
  });

export const effortSetting = () =>
  z
    .enum([...effortLevels, 'default'])
    .exactOptional()
    .describe('Reasoning effort; the nearest one that the model has is used (default: set by the provider)');

export const tierSetting = () =>
  z
    .enum(tiers)
    .exactOptional()
    .describe(
      'Service tier, for providers that have some: `flex` is cheaper and slower, `priority` faster and more expensive (default: set by the provider)',
    );

/** One vendor. */
export const vendor = () =>
  z.strictObject({
    protocol: z
      .enum(['anthropic', 'openai-responses', 'openai-chat', 'google', 'ollama'])
      .exactOptional()
      .describe('API protocol of the server (default for a new provider: openai-chat)'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Base URL of the API'),
    apiKey: z
      .string()
      .min(1)
      .exactOptional()
      .describe('API key; storing it with `aca keys set PROVIDER` is safer'),
    apiKeyEnv: z.string().min(1).exactOptional().describe('Environment variable that holds the API key'),
    region: z
      .string()
      .min(1)
      .exactOptional()
      .describe('For bedrock, the AWS region; for vertex, the Google Cloud location (default: global)'),
    profile: z.string().min(1).exactOptional().describe('For bedrock: the AWS profile'),
    project: z.string().min(1).exactOptional().describe('For vertex: the Google Cloud project'),
    apiVersion: z
      .string()
      .min(1)
      .exactOptional()
      .describe('For azure: a dated API version, such as 2024-10-21 (default: the v1 API)'),
    headers: z
      .record(z.string(), z.string())
      .exactOptional()
      .describe('HTTP headers to send with every request'),
    toolMode: z
      .enum(['native', 'xml', 'fence', 'grammar'])
      .exactOptional()
      .describe(
        'How models call tools: natively, as XML or fenced blocks in text, or as JSON constrained by the server',
      ),
  });
