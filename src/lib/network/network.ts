type Env = Readonly<Record<string, string | undefined>>;

export type NetworkOptions = {
  /** PEM certificates to trust besides the usual ones. */
  caFile?: string;
};

/**
 * A fetch that goes through the user's proxy and trusts the user's certificates. Undefined when neither is
 * set: the runtime's own fetch then does, and nothing is loaded. Loopback addresses never meet the proxy.
 */
export async function networkFetch(
  env: Env,
  { caFile }: NetworkOptions = {},
): Promise<typeof fetch | undefined> {
  const all = read(env, 'ALL_PROXY');
  const httpProxy = read(env, 'HTTP_PROXY') ?? all;
  const httpsProxy = read(env, 'HTTPS_PROXY') ?? all ?? httpProxy;
  if (!httpProxy && !httpsProxy && !caFile) return undefined;

  // In a file of its own, because its library is large and few need it.
  const { createRoutedFetch } = await import('./routed-fetch.ts');
  return createRoutedFetch(env, {
    // Empty strings keep the agent from reading the process's own environment.
    httpProxy: proxyUrl(httpProxy),
    httpsProxy: proxyUrl(httpsProxy),
    noProxy: read(env, 'NO_PROXY') ?? '',
    caFile,
  });
}

function read(env: Env, name: string): string | undefined {
  return env[name.toLowerCase()] || env[name] || undefined;
}

function proxyUrl(value: string | undefined): string {
  if (!value) return '';
  const url = /^[a-z0-9]+:\/\//i.test(value) ? value : `http://${value}`;
  return url.replace(/^socks5h:/i, 'socks5:');
}
