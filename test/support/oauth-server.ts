import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { onTestFinished } from 'vitest';

type Grant = { clientId: string; redirectUri: string; challenge: string };

export type OAuthServer = {
  /** The URL of the MCP server that requires a token. */
  url: string;
  /** The requests, in order: `METHOD path` with the grant type. */
  asked: string[];
  /** Invalidates all access tokens issued so far. */
  expire(): void;
  /** Also invalidates refresh tokens. */
  revoke(): void;
};

/**
 * An authorization server and an MCP server behind it, as strict as the standards: clients register, codes
 * are valid once and only for their client, redirect and verifier, refresh tokens rotate with every use.
 */
export async function startOAuthServer({ refuse = false } = {}): Promise<OAuthServer> {
  const clients = new Map<string, string[]>();
  const codes = new Map<string, Grant>();
  const access = new Set<string>();
  const refresh = new Map<string, string>();
  const asked: string[] = [];
  let base = '';

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', base);
    const where = `${request.method} ${url.pathname}`;
    switch (where) {
      case 'GET /.well-known/oauth-protected-resource/mcp':
        return json(response, 200, {
          resource: `${base}/mcp`,
          authorization_servers: [base],
          scopes_supported: ['use'],
        });
      case 'GET /.well-known/oauth-authorization-server':
        return json(response, 200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          registration_endpoint: `${base}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      case 'POST /register':
        asked.push(where);
        return register(await bodyOf(request), response);
      case 'GET /authorize':
        asked.push(where);
        return authorize(url, response);
      case 'GET /consent':
        asked.push(where);
        return consent(url, response);
      case 'POST /token':
        return token(new URLSearchParams(await bodyOf(request)), response);
      default:
        if (url.pathname === '/mcp') return mcp(request, response);
        response.writeHead(404).end();
    }
  }

  function register(body: string, response: ServerResponse): void {
    const client = JSON.parse(body) as { redirect_uris: string[] };
    const id = randomUUID();
    clients.set(id, client.redirect_uris);
    json(response, 201, { ...client, client_id: id });
  }

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const known = clients.get(searchParams.get('client_id') ?? '');
    const isWhole =
      known?.includes(searchParams.get('redirect_uri') ?? '') &&
      searchParams.get('response_type') === 'code' &&
      searchParams.get('code_challenge_method') === 'S256' &&
      searchParams.get('resource') === `${base}/mcp`;
    if (isWhole) response.writeHead(302, { location: `/consent?${searchParams}` }).end();
    else json(response, 400, { error: 'invalid_request' });
  }

  function consent({ searchParams }: URL, response: ServerResponse): void {
    const back = new URL(searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('state', searchParams.get('state') ?? '');
    if (refuse) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      codes.set(code, {
        clientId: searchParams.get('client_id') ?? '',
        redirectUri: searchParams.get('redirect_uri') ?? '',
        challenge: searchParams.get('code_challenge') ?? '',
      });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function token(form: URLSearchParams, response: ServerResponse): void {
    const kind = form.get('grant_type') ?? '';
    asked.push(`POST /token ${kind}`);
    if (kind === 'refresh_token') {
      const client = refresh.get(form.get('refresh_token') ?? '');
      refresh.delete(form.get('refresh_token') ?? '');
      if (client === form.get('client_id')) give(client, response);
      else json(response, 400, { error: 'invalid_grant' });
      return;
    }
    const grant = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      grant?.clientId === form.get('client_id') &&
      grant.redirectUri === form.get('redirect_uri') &&
      grant.challenge === challenge;
    if (grant && isGood) give(grant.clientId, response);
    else json(response, 400, { error: 'invalid_grant' });
  }

  function give(clientId: string, response: ServerResponse): void {
    const [first, second] = [`at-${randomUUID()}`, `rt-${randomUUID()}`];
    access.add(first);
    refresh.set(second, clientId);
    json(response, 200, {
      access_token: first,
      refresh_token: second,
      token_type: 'Bearer',
      expires_in: 3600,
    });
  }

  async function mcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (!access.has(given)) {
      const where = `${base}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${where}"` }).end();
      return;
    }
    const behind = new McpServer({ name: 'guarded', version: '1' });
    behind.registerTool('whoami', { description: 'Says who asks' }, () => ({
      content: [{ type: 'text', text: 'somebody with a token' }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    // The library's class does not declare its optional members as the interface does.
    await behind.connect(transport as Transport);
    await transport.handleRequest(request, response);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has one.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `${base}/mcp`, asked, expire: () => access.clear(), revoke: () => refresh.clear() };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
