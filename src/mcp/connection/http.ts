import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LoginNeededError } from '../login/oauth.ts';

export type Address = {
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  /** Absent where nobody has logged in. */
  login?: OAuthClientProvider;
};

/** A server of today that is reached by HTTP. */
export async function streamable({ url, headers, fetch, login }: Address): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch,
    ...(login && { authProvider: login }),
  });
  // The library's own class does not declare its optional members as the interface does.
  return transport as Transport;
}

/** A server as the first version of the protocol knew it. */
export async function serverSentEvents({ url, headers, fetch, login }: Address): Promise<Transport> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const transport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch,
    ...(login && { authProvider: login }),
  });
  return transport as Transport;
}

/** Whether a server that refused the newer way may know the older one. */
export function mayBeOlder(error: unknown): boolean {
  const status = statusOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

export function needsLogin(error: unknown): boolean {
  if (error instanceof LoginNeededError || statusOf(error) === 401) return true;
  // The library's own error has no code, and in the built program no name.
  return error instanceof Error && error.message === 'Unauthorized';
}

/** The session that a request named is gone, for the server was started anew: what was asked, it has not done. */
export function isLostSession(error: unknown): boolean {
  const status = statusOf(error);
  // The standard says 404; not every server keeps to it.
  return status === 404 || (status === 400 && error instanceof Error && /session/i.test(error.message));
}

function statusOf(error: unknown): number | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' && code >= 100 ? code : null;
}
