import type { DefaultAzureCredentialOptions } from '@azure/identity';
import type { HttpClient } from '../../lib/network/http-client.ts';

type AzureHttp = NonNullable<DefaultAzureCredentialOptions['httpClient']>;
type AzureResponse = Awaited<ReturnType<AzureHttp['sendRequest']>>;
type AzureHeaders = AzureResponse['headers'];

/** Our HTTP client as Azure's libraries use one, so that they take the user's proxy and certificates. */
export function azureHttp(http: HttpClient): AzureHttp {
  return {
    async sendRequest(request) {
      const { body } = request;
      const sent = await http({
        url: request.url,
        method: request.method === 'POST' ? 'POST' : 'GET',
        headers: request.headers.toJSON(),
        ...(typeof body === 'string' && { body }),
        ...(request.abortSignal && { signal: request.abortSignal as AbortSignal }),
      });
      return {
        request,
        status: sent.status,
        headers: headersOf(sent.headers),
        bodyAsText: await sent.text(),
      };
    },
  };
}

function headersOf(raw: Record<string, string>): AzureHeaders {
  const map = new Map(Object.entries(raw));
  return {
    get: (name) => map.get(name.toLowerCase()),
    has: (name) => map.has(name.toLowerCase()),
    set: (name, value) => void map.set(name.toLowerCase(), String(value)),
    delete: (name) => void map.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(map),
    [Symbol.iterator]: () => map[Symbol.iterator](),
  };
}
