import OpenAI, { APIError } from 'openai';
import type { ProviderError } from '../contract/errors.ts';
import { endedEarly, notTheProtocol } from './faults.ts';
import type { ProviderOptions } from './options.ts';
import {
  assertSendable,
  brokenWire,
  fromStreamedError,
  type WireWatch,
  watchedFetch,
  wordsIn,
} from './wire-watch.ts';

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
    fetch: watchedFetch,
    maxRetries: 0,
    logLevel: 'off',
  });
}

type Exchange = { watch: WireWatch; options: ProviderOptions; begun: boolean };

/** What the client threw, as one of our errors. */
export function fromOpenAI(error: unknown, exchange: Exchange): ProviderError {
  const { watch, options } = exchange;
  if (watch.refusal() === undefined && error instanceof APIError && error.error !== undefined) {
    return fromStreamedError(error.error, options);
  }
  if (error instanceof SyntaxError) {
    return notTheProtocol(options, `${error.message} in ... ${watch.latest()}`);
  }
  return brokenWire(error, exchange);
}

/** A stream ended without its last word: cut, empty, or no event stream at all. */
export function withoutEnd({ watch, options, begun }: Exchange): ProviderError {
  const opening = watch.opening();
  if (begun || opening === '' || /^(data|event|id|retry)?:/m.test(opening))
    return endedEarly(options.name, begun);
  const said = wordsIn(opening);
  return said ? fromStreamedError({ message: said }, options) : notTheProtocol(options, opening);
}
