import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LoginNeededError } from '../login/oauth.ts';

export type Address = {
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  /** Absent if the user has not logged in. */
  login?: OAuthClientProvider;
};

/** The current HTTP transport (Streamable HTTP). */
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

/** The transport of the first protocol version (HTTP with SSE). */
export async function serverSentEvents({ url, headers, fetch, login }: Address): Promise<Transport> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const transport = new SSEClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch,
    ...(login && { authProvider: login }),
  });
  return transport as Transport;
}

/** Whether a server that rejected the newer transport may support the older one. */
export function mayBeOlder(error: unknown): boolean {
  const status = statusOf(error);
  return status !== null && status >= 400 && status < 500 && status !== 401 && status !== 403;
}

export function needsLogin(error: unknown): boolean {
  if (error instanceof LoginNeededError || statusOf(error) === 401) return true;
  // The library's own error has no code, and in the built program no name.
  return error instanceof Error && error.message === 'Unauthorized';
}

/**
 * The session of a request no longer exists because the server was restarted: the request was not processed.
 */
export function isLostSession(error: unknown): boolean {
  const status = statusOf(error);
  // The standard says 404; not every server follows it.
  return status === 404 || (status === 400 && error instanceof Error && /session/i.test(error.message));
}

function statusOf(error: unknown): number | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' && code >= 100 ? code : null;
}
