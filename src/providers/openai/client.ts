import OpenAI from 'openai';
import { assertSendable } from '../http/wire-watch.ts';
import type { ProviderOptions } from '../options.ts';

/** The official client, made for the first request. Retries, environment variables and logs are not its business. */
export function openaiClient(options: ProviderOptions): () => OpenAI {
  let client: OpenAI | undefined;
  return () => {
    assertSendable(options);
    client ??= makeClient(options);
    return client;
  };
}

function makeClient({ apiKey, baseUrl, headers }: ProviderOptions): OpenAI {
  return new OpenAI({
    // The client insists on a key; local servers have none, and get no header either.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    baseURL: baseUrl,
    defaultHeaders: { ...(apiKey ? {} : { Authorization: null }), ...headers },
    maxRetries: 0,
    logLevel: 'off',
  });
}
