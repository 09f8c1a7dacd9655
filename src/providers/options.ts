import type { ProviderError } from '../contract/errors.ts';
import type { ModelInfo, Provider } from '../contract/provider.ts';
import type { HttpClient } from '../lib/network/http-client.ts';

/** What every wire protocol needs to reach a vendor. */
export type ProviderOptions = {
  /** The preset's name, used in messages and errors. */
  name: string;
  baseUrl: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Sends the requests: with the user's proxy and certificates, or signed as a vendor requires. */
  http?: HttpClient;
  /** The vendor's name of a service tier. */
  tier?: string;
  /** Limits a request to what the model supports: its output limit, thinking, images. */
  infoOf(model: string): ModelInfo;
  /** Present if a cloud serves the vendor's protocol at addresses of its own. */
  endpoint?: Endpoint;
};

/** How a cloud's endpoint differs from the vendor's own. Credentials are added by `http`. */
export type Endpoint = {
  /** The request that streams a reply; `body` is what the vendor itself would get. */
  stream(model: string, body: object): Address;
  /** Absent if the cloud does not count tokens. */
  count?(model: string, body: object): Address;
  refusal?: Refusal;
  /** The credentials that were sent so far: a server may echo them. */
  secrets(): readonly string[];
};

type Address = { url: string; body: object };

/** A vendor-specific reading of an error response, for misleading HTTP statuses. */
export type Refusal = (status: number, body: string, provider: string) => ProviderError | undefined;

/** The one function that a wire protocol's module exports for `index.ts`. */
export type CreateProvider = (options: ProviderOptions) => Provider;
