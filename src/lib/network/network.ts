import { createDirectClient, type HttpClient } from './http-client.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type NetworkOptions = {
  /** PEM certificates to trust besides the usual ones. */
  caFile?: string;
};

export type Network = {
  /** For calls to an API: no limit on silence but the caller's. */
  http: HttpClient;
  /** For libraries and downloads, which want the standard's. */
  fetch: typeof fetch;
};

/** Goes through the user's proxy and trusts the user's certificates. Loopback addresses never meet the proxy. */
export async function openNetwork(env: Env, { caFile }: NetworkOptions = {}): Promise<Network> {
  const { httpProxy, httpsProxy } = proxiesOf(env);
  if (!httpProxy && !httpsProxy && !caFile) return { http: createDirectClient(), fetch: globalThis.fetch };

  // In a file of its own, because its library is large and few need it.
  const { createRoutedNetwork } = await import('./routed-network.ts');
  return createRoutedNetwork(env, {
    // Empty strings keep the agent from reading the process's own environment.
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
