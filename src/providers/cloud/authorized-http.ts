import type { HttpClient, HttpRequest, HttpResponse } from '../../lib/network/http-client.ts';

export type Authorization = {
  /** The headers of a request, with its credentials. `refresh`: the cached ones were rejected. */
  authorize(request: HttpRequest, refresh: boolean): Promise<Record<string, string>>;
  /** Whether this response says that the credentials have expired. */
  isExpired(response: HttpResponse): boolean;
};

/** Adds credentials to every request. Expired ones are renewed once, since the cached ones may be outdated. */
export function authorizedHttp(http: HttpClient, { authorize, isExpired }: Authorization): HttpClient {
  const send = async (request: HttpRequest, refresh: boolean) =>
    http({ ...request, headers: await authorize(request, refresh) });
  return async (request) => {
    const response = await send(request, false);
    if (!isExpired(response)) return response;
    await response.text();
    return send(request, true);
  };
}
