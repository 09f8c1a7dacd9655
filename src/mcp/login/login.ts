import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../../contract/errors.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';
import type { OAuthSettings } from '../settings.ts';
import { oauthProvider } from './oauth.ts';
import type { LoginStore } from './oauth-store.ts';

export type LoginOptions = {
  url: string;
  settings: OAuthSettings | undefined;
  store: LoginStore;
  fetch: typeof fetch;
  /** Called with the URL that the user must visit; may open a browser. */
  onLoginUrl(url: string): void;
  signal: AbortSignal;
};

const MAX_WAIT_MS = 5 * 60_000;
const PAGE = `<!doctype html><meta charset="utf-8"><title>ai-code-assistant</title>
<p style="font: 1.2em sans-serif; margin: 4em">WORDS You can close this window.</p>`;

/** Runs the server's login in the browser and stores the resulting tokens: authorization code with PKCE. */
export async function logIn(options: LoginOptions): Promise<void> {
  const { url, settings, store, onLoginUrl } = options;
  const { auth } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const before = await store.read();
  const callback = await startCallbackServer(settings?.callbackPort ?? portOf(before.redirectUrl));
  const signal = limited(MAX_WAIT_MS, options.signal);
  try {
    const { redirectUrl } = callback;
    // A registration for another redirect URL is useless; so are tokens that the user wants to replace.
    const client = before.redirectUrl === redirectUrl && before.client ? { client: before.client } : {};
    await store.change(() => ({ ...client, redirectUrl }));
    const provider = oauthProvider(store, settings, { redirectUrl, open: (place) => onLoginUrl(place.href) });
    const fetchFn: typeof fetch = (input, init) => options.fetch(input, { ...init, signal });
    const where = await discoverFrom(url, fetchFn);
    const first = await auth(provider, { serverUrl: url, fetchFn, ...where });
    if (first === 'AUTHORIZED') return;
    const code = await raceAbort(callback.code(provider.stateSent()), signal);
    await auth(provider, { serverUrl: url, authorizationCode: code, fetchFn, ...where });
  } catch (error) {
    if (error instanceof UserError || options.signal.aborted) throw error;
    const late = signal.aborted ? 'no response within five minutes' : (error as Error).message;
    throw new UserError(
      `The login failed: ${late}.`,
      'Try again, or run `aca mcp test` to see what the server reports.',
      {
        cause: error,
        exit: 'error',
      },
    );
  } finally {
    await callback.close();
  }
}

/** A server's 401 response says where its login is described, and which scopes to request. */
async function discoverFrom(
  url: string,
  fetchFn: typeof fetch,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const answer = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    redirect: 'manual',
  });
  await answer.body?.cancel();
  if (answer.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(answer);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

type CallbackServer = { redirectUrl: string; code(state: string): Promise<string>; close(): Promise<void> };

/** The browser's redirect target: this machine only, and one request. */
async function startCallbackServer(wanted: number | undefined): Promise<CallbackServer> {
  let answered: (query: URLSearchParams) => void = () => undefined;
  const query = new Promise<URLSearchParams>((resolve) => {
    answered = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== '/callback') return void response.writeHead(404).end();
    const words = searchParams.has('code') ? 'Done.' : 'The login was refused.';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE.replace('WORDS', words));
    answered(searchParams);
  });
  const port = await listen(server, wanted ?? 0).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return listen(server, 0);
    throw error;
  });
  return {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    async code(state) {
      const answer = await query;
      if (!isSame(answer.get('state') ?? '', state)) throw new Error('the answer belongs to another login');
      const code = answer.get('code');
      if (code === null)
        throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'no code was returned');
      return code;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      // A listening server has a port.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function portOf(redirectUrl: string | undefined): number | undefined {
  return redirectUrl === undefined ? undefined : Number(new URL(redirectUrl).port);
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
