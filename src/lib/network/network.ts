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
    noProxy: read(env, 'NO_PROXY')?.value ?? '',
    caFile,
  });
}

export function hasProxy(env: Env): boolean {
  const { httpProxy, httpsProxy } = proxiesOf(env);
  return httpProxy !== undefined || httpsProxy !== undefined;
}

type Variable = { name: string; value: string };

function proxiesOf(env: Env): { httpProxy: Variable | undefined; httpsProxy: Variable | undefined } {
  const all = read(env, 'ALL_PROXY');
  const httpProxy = read(env, 'HTTP_PROXY') ?? all;
  return { httpProxy, httpsProxy: read(env, 'HTTPS_PROXY') ?? all ?? httpProxy };
}

/** Both spellings are in use; the lower one counts first. */
function read(env: Env, name: string): Variable | undefined {
  const spelling = [name.toLowerCase(), name].find((one) => env[one]);
  return spelling === undefined ? undefined : { name: spelling, value: env[spelling] ?? '' };
}

/** The value is not quoted in the error: it may contain a password. */
function proxyUrl(variable: Variable | undefined): string {
  if (!variable) return '';
  const { name, value } = variable;
  const url = /^[a-z0-9]+:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(url))
    throw new Error(`${name} is not the address of a proxy, such as http://proxy:3128.`);
  return url.replace(/^socks5h:/i, 'socks5:');
}
