import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { sha256 } from '../../lib/sha256.ts';
import { makeServer, type Served } from './serve.ts';

export type HttpOptions = { port: number; token: string };

const PATH = '/mcp';
const MAX_SESSIONS = 32;
const MAX_BODY = 4 * 1024 * 1024;
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

type Session = { transport: WebStandardStreamableHTTPServerTransport; close(): Promise<void> };

/** Serves local clients with the token; rejects web pages, however they get here. */
export async function serveHttp(
  served: Served,
  { port, token }: HttpOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      if (!response.headersSent) refuse(response, 500, error.message);
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, token);
    if (refusal) return refuse(response, ...refusal);
    const asked = await webRequest(request);
    if (!asked) return refuse(response, 413, 'The request is too long.');
    const known = sessions.get(String(request.headers['mcp-session-id'] ?? ''));
    if (!known && request.headers['mcp-session-id'] !== undefined)
      return refuse(response, 404, 'There is no such session.');
    if (!known && sessions.size >= MAX_SESSIONS)
      return refuse(response, 503, 'Too many clients are connected.');
    const transport = known?.transport ?? (await open());
    await send(await transport.handleRequest(asked), response);
    // A first request other than initialize leaves no session.
    if (transport.sessionId === undefined) await transport.close();
  }

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const { WebStandardStreamableHTTPServerTransport: Web } = await import(
      '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
    );
    const mine = await makeServer(served);
    const transport = new Web({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, close: () => mine.close() }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    // The library's own class does not declare its optional members as the interface does.
    await mine.connect(transport as Transport);
    return transport;
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // A listening server has a port.
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}${PATH}`,
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Null for a permitted request. */
function refusalOf(
  { url = '', headers }: IncomingMessage,
  token: string,
): [status: number, words: string] | null {
  const { host = '', origin, authorization = '' } = headers;
  // A foreign host name that resolves here is a DNS rebinding attack.
  if (!OWN_HOST.test(host)) return [403, 'Only requests from this machine are accepted.'];
  if (origin !== undefined && !(URL.canParse(origin) && OWN_HOST.test(new URL(origin).host)))
    return [403, 'Requests from web pages are not accepted.'];
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
  if (!timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(token))))
    return [401, 'The token is missing or wrong.'];
  return url.split('?')[0] === PATH ? null : [404, `Only ${PATH} is served.`];
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
}

/** Null if its body is too long. */
async function webRequest(request: IncomingMessage): Promise<Request | null> {
  const { method = 'GET', url = '/', headers } = request;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) return null;
    chunks.push(chunk);
  }
  const fields = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return new Request(`http://127.0.0.1${url}`, {
    method,
    headers: fields,
    ...(length > 0 && method !== 'GET' && method !== 'HEAD' && { body: Buffer.concat(chunks) }),
  });
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  // A stream may stay silent for long; the client must see that it has started.
  response.flushHeaders();
  if (!answer.body) return void response.end();
  const reader = answer.body.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  for (let step = await reader.read(); !step.done; step = await reader.read()) response.write(step.value);
  response.end();
}
