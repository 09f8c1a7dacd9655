import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect as connectTo, isIP, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { HOST_REFUSED } from '../../contract/sandbox.ts';
import { whyNameNotPublic, whyNotPublic } from '../web/address.ts';
import { allowsHost, portOf } from './allowed-hosts.ts';

export type ProxyOptions = {
  /** Hosts such as `registry.npmjs.org`, `*.example.com` or `example.com:8443`. */
  allowed: readonly string[];
  /** The user's own proxy, which then resolves the names. */
  upstream?: URL;
  resolve?(name: string): Promise<string[]>;
  connect?(address: string, port: number): Socket;
};

/** `socket` is a file that only the user can access. */
export type NetworkProxy = { socket: string; close(): Promise<void> };

type Target = { host: string; port: number };
const CONNECT_MS = 15_000;

/** An HTTP proxy that allows only the listed hosts; a name is resolved once, and that address is used. */
export async function startProxy(options: ProxyOptions): Promise<NetworkProxy> {
  const { allowed, upstream, resolve = resolveName, connect = openSocket } = options;

  async function addressOf({ host, port }: Target): Promise<string> {
    if (isIP(host) !== 0) throw new Refusal(`${host} is an IP address; allowed hosts are listed by name`);
    if (!allowsHost(allowed, { host, port })) {
      throw new Refusal(
        `${host}:${port} is not an allowed host; the user can add it to sandbox.allowedDomains`,
      );
    }
    const named = whyNameNotPublic(host);
    if (named !== null) throw new Refusal(`${host} is ${named}`);
    if (upstream) return host;
    const addresses = await resolve(host);
    for (const address of addresses) {
      const why = whyNotPublic(address);
      if (why !== null) throw new Refusal(`${host} resolves to ${address}, which is ${why}`);
    }
    const [first] = addresses;
    if (first === undefined) throw new Error(`${host} does not resolve`);
    return first;
  }

  async function openTo(target: Target): Promise<Socket> {
    const address = await addressOf(target);
    if (!upstream) return connected(connect(address, target.port));
    const socket = await connected(connect(upstream.hostname, portOf(upstream)));
    await throughProxy(socket, target, upstream);
    return socket;
  }

  async function tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    try {
      const { hostname, port } = new URL(`http://${request.url ?? ''}`);
      const outside = await openTo({ host: bare(hostname), port: Number(port || 80) });
      outside.on('error', () => client.destroy());
      client.on('close', () => outside.destroy());
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      outside.write(head);
      client.pipe(outside).pipe(client);
    } catch (error) {
      const { status, text } = answerFor(error);
      client.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n${text}\n`);
    }
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '');
      if (url.protocol !== 'http:') throw new Refusal(`${url.protocol} is not supported`);
      const target = { host: bare(url.hostname), port: portOf(url) };
      const address = await addressOf(target);
      const socket = await connected(
        upstream ? connect(upstream.hostname, portOf(upstream)) : connect(address, target.port),
      );
      const outside = openRequest({
        createConnection: () => socket,
        method: request.method,
        path: upstream ? url.href : `${url.pathname}${url.search}`,
        // The name that was checked, whatever the command sent: one server may host many.
        headers: { ...endToEnd(request.headers), host: url.host, ...authorization(upstream) },
      });
      outside.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        answer.pipe(response);
      });
      outside.on('error', () => response.destroy());
      request.pipe(outside);
    } catch (error) {
      const { status, text } = answerFor(error);
      response.writeHead(Number(status.slice(0, 3)), { 'content-type': 'text/plain' });
      response.end(`${text}\n`);
    }
  }

  const folder = await mkdtemp(path.join(tmpdir(), 'aca-net-'));
  const socket = path.join(folder, 'proxy');
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void forward(request, response));
  server.on('connect', (request, client, head) => void tunnel(request, client, head));
  server.on('connection', (client: Socket) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
  });
  await listening(server, socket);
  // Must not keep the process alive after the conversation.
  server.unref();
  return {
    socket,
    async close() {
      for (const client of sockets) client.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Not allowed by the list, as opposed to unreachable. */
class Refusal extends Error {}

function answerFor(error: unknown): { status: string; text: string } {
  const text = error instanceof Error ? error.message : String(error);
  const refused = error instanceof Refusal;
  const status = refused
    ? '403 Forbidden'
    : error instanceof TypeError
      ? '400 Bad Request'
      : '502 Bad Gateway';
  return { status, text: refused ? `${HOST_REFUSED}: ${text}.` : `Could not connect: ${text}.` };
}

function openSocket(address: string, port: number): Socket {
  return connectTo({ host: address, port });
}

async function resolveName(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function listening(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => resolve());
  });
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const give = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const slow = () => give(new Error('timed out'));
    socket.setTimeout(CONNECT_MS, slow);
    socket.once('error', give);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', give);
      resolve(socket);
    });
  });
}

/** Opens a tunnel through the user's proxy. */
async function throughProxy(socket: Socket, { host, port }: Target, upstream: URL): Promise<void> {
  const { 'proxy-authorization': credentials } = authorization(upstream);
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(credentials === undefined ? [] : [`Proxy-Authorization: ${credentials}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await readHead(socket);
  if (!/^HTTP\/1\.[01] 2\d\d/.test(answer)) throw new Error(`the proxy answered ${answer.split('\r\n')[0]}`);
}

/** Reads up to the blank line; data after it belongs to the tunnel and is put back. */
async function readHead(socket: Socket): Promise<string> {
  let text = '';
  while (!text.includes('\r\n\r\n')) {
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) text += chunk.toString('latin1');
    else if (socket.readableEnded || socket.destroyed) return text;
    else await Promise.race(['readable', 'end', 'close'].map((event) => once(socket, event)));
  }
  const end = text.indexOf('\r\n\r\n') + 4;
  if (end < text.length) socket.unshift(Buffer.from(text.slice(end), 'latin1'));
  return text.slice(0, end);
}

function authorization(upstream: URL | undefined): { 'proxy-authorization'?: string } {
  if (!upstream?.username) return {};
  const pair = `${decodeURIComponent(upstream.username)}:${decodeURIComponent(upstream.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);

function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}

function bare(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
