import type { ModelInfo, Provider } from '../contract/provider.ts';
import type { HttpClient } from '../lib/network/http-client.ts';

/** What every wire protocol needs to reach one vendor. */
export type ProviderOptions = {
  /** The preset's name: written into messages and errors. */
  name: string;
  baseUrl: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Sends the requests: with the user's proxy and certificates, or signed the way a vendor wants it. */
  http?: HttpClient;
  /** Fixes a request to what the model can do: its output limit, thinking, images. */
  infoOf(model: string): ModelInfo;
};

/** The one function a wire protocol's file exports for `index.ts`. */
export type CreateProvider = (options: ProviderOptions) => Provider;
