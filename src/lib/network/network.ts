import { createDirectClient, type HttpClient } from './http-client.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type NetworkOptions = {
  /** PEM certificates to trust in addition to the default ones. */
  caFile?: string;
};

export type Network = {
  /** For API calls: only the caller limits silence. */
  http: HttpClient;
  /** For libraries and downloads that need the standard one. */
  fetch: typeof fetch;
};

/** Uses the user's proxy and trusts the user's certificates. Loopback addresses bypass the proxy. */
export async function openNetwork(env: Env, { caFile }: NetworkOptions = {}): Promise<Network> {
  const { httpProxy, httpsProxy } = proxiesOf(env);
  if (!httpProxy && !httpsProxy && !caFile) return { http: createDirectClient(), fetch: globalThis.fetch };

  // A separate module, because its library is large and rarely needed.
  const { createRoutedNetwork } = await import('./routed-network.ts');
  return createRoutedNetwork(env, {
    // Empty strings keep the agent from reading the process environment.
    httpProxy: proxyUrl(httpProxy),
    httpsProxy: proxyUrl(httpsProxy),
    noProxy: read(env, 'NO_PROXY') ?? '',
    caFile,
  });
}

export function hasProxy(env: Env): boolean {
  const { httpProxy, httpsProxy } = proxiesOf(env);
  return httpProxy !== undefined || httpsProxy !== undefined;
}

function proxiesOf(env: Env): { httpProxy: string | undefined; httpsProxy: string | undefined } {
  const all = read(env, 'ALL_PROXY');
  const httpProxy = read(env, 'HTTP_PROXY') ?? all;
  return { httpProxy, httpsProxy: read(env, 'HTTPS_PROXY') ?? all ?? httpProxy };
}

function read(env: Env, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

function proxyUrl(value: string | undefined): string {
  if (!value) return '';
  const url = /^[a-z0-9]+:\/\//i.test(value) ? value : `http://${value}`;
  return url.replace(/^socks5h:/i, 'socks5:');
}
