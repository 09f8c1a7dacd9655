import * as z from 'zod';
import { count } from './setting-kinds.ts';

/** How much of a conversation is sent, and how vendors keep it. */
export const contextSettings = {
  maxContextTokens: () =>
    count().exactOptional().describe("Maximum tokens sent per request (default: the model's context window)"),
  summarizationThreshold: () =>
    z
      .number()
      .min(0.1)
      .max(1)
      .default(0.9)
      .describe('Fraction of the context window at which older messages are summarized'),
  vendorSummaries: () =>
    z
      .boolean()
      .default(true)
      .describe(
        "Let Anthropic and OpenAI summarize long conversations themselves, which keeps the model's reasoning",
      ),
  promptCache: () =>
    z
      .enum(['auto', '5m', '1h'])
      .default('auto')
      .describe(
        'How long Anthropic keeps a prompt after its last use; `auto` takes an hour where your pauses make it cheaper',
      ),
};
