import { Readable } from 'node:stream';
import type { HttpClient } from '../../../lib/network/http-client.ts';

type AwsRequest = {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  method: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

type AwsResponse = { response: { statusCode: number; headers: Record<string, string>; body: Readable } };

/** Our HTTP client as AWS's libraries use one, so that they take the user's proxy and certificates. */
export function requestHandler(http: HttpClient) {
  return {
    async handle(
      { protocol, hostname, port, path, method, query = {}, headers, body }: AwsRequest,
      { abortSignal }: { abortSignal?: AbortSignal } = {},
    ): Promise<AwsResponse> {
      const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
      for (const [name, values] of Object.entries(query))
        for (const value of [values].flat()) url.searchParams.append(name, value ?? '');
      const sent = await http({
        url: url.href,
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body !== undefined && { body: textOf(body) }),
        ...(abortSignal && { signal: abortSignal }),
      });
      const stream = Readable.from(sent.body, { objectMode: false });
      return { response: { statusCode: sent.status, headers: sent.headers, body: stream } };
    },
  };
}

/** Requests for credentials have short bodies, which are never streamed. */
function textOf(body: unknown): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : String(body);
}
