import { Readable } from 'node:stream';
import type { HttpClient } from '../../lib/network/http-client.ts';

/** Our HTTP client as `fetch`, for libraries that ask for credentials with short requests. */
export function fetchOver(http: HttpClient): typeof fetch {
  return async (input, init) => {
    const { method = 'GET', headers: own, body: sent } = init ?? {};
    const request = new Request(input, { method, ...(own && { headers: own }), ...(sent && { body: sent }) });
    const body = await request.text();
    const {
      status,
      headers,
      body: reply,
    } = await http({
      url: request.url,
      method: request.method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(request.headers),
      ...(body !== '' && { body }),
      ...(init?.signal && { signal: init.signal }),
    });
    const { 'content-length': _, 'content-encoding': __, ...others } = headers;
    return new Response(Readable.toWeb(Readable.from(reply, { objectMode: false })) as ReadableStream, {
      status,
      headers: others,
    });
  };
}
