import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Agent, EnvHttpProxyAgent, fetch as undiciFetch, request as undiciRequest } from 'undici';
import { createHttpClient } from './http-client.ts';
import type { Network } from './network.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Route = { httpProxy: string; httpsProxy: string; noProxy: string; caFile: string | undefined };

/** Uses these proxies and also trusts these certificates. Loopback addresses bypass the proxy. */
export async function createRoutedNetwork(env: Env, { caFile, ...proxies }: Route): Promise<Network> {
  const ca = caFile ? await certificates(env, caFile) : undefined;
  // Callers set their own timeouts; a model may think longer than the defaults.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const direct = new Agent({ ...limits, ...(ca && { connect: { ca } }) });
  const proxied = new EnvHttpProxyAgent({
    ...limits,
    ...(ca && { connect: { ca }, requestTls: { ca }, proxyTls: { ca } }),
    ...proxies,
  });
  const dispatcherFor = (url: string) => (isLoopback(new URL(url).hostname) ? direct : proxied);

  return {
    http: createHttpClient(async ({ url, ...options }) => {
      const response = await undiciRequest(url, { ...options, dispatcher: dispatcherFor(url) });
      return { status: response.statusCode, headers: response.headers, stream: response.body };
    }),
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      // The types of the runtime and undici describe the same standard but are incompatible.
      const own = input instanceof Request ? partsOf(input) : {};
      const merged = { ...own, ...init, dispatcher: dispatcherFor(url) } as object;
      const response = await undiciFetch(url, merged);
      // Callers check `instanceof Response` and `instanceof Headers` of the runtime.
      return new Response(response.body as ReadableStream | null, {
        status: response.status,
        statusText: response.statusText,
        headers: [...response.headers],
      });
    },
  };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/i.test(hostname);
}

function partsOf({ method, headers, body, signal }: Request) {
  return { method, headers, signal, ...(body && { body, duplex: 'half' }) };
}

/** Setting any CA replaces all the default ones, so they are included. */
export async function certificates(env: Env, caFile: string): Promise<string[]> {
  const own = await readFile(caFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot read the certificates in ${caFile} (${error.code ?? error.message}).`);
  });
  if (!own.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`${caFile} contains no PEM certificate.`);
  const extraFile = env.NODE_EXTRA_CA_CERTS;
  // The runtime itself warns about an unreadable extra file.
  const extra = extraFile ? await readFile(extraFile, 'utf8').catch(() => '') : '';
  return [...rootCertificates, ...(extra ? [extra] : []), own];
}
