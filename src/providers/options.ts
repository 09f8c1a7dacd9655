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
  /** Limits a request to what the model supports: its output limit, thinking, images. */
  infoOf(model: string): ModelInfo;
};

/** The one function that a wire protocol's module exports for `index.ts`. */
export type CreateProvider = (options: ProviderOptions) => Provider;
