import { readFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import path from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import { createServer as createTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { WhenDone } from './workspace.ts';

const tls = path.join(path.dirname(fileURLToPath(import.meta.url)), 'tls');

/** The CA certificate for servers behind `behindTls`. */
export const caFile = path.join(tls, 'cert.pem');
export const keyFile = path.join(tls, 'key.pem');

/** A host name in the certificate that no DNS server knows: only our proxy leads there. */
export const secretHost = 'api.test';

/** TLS in front of a plain server; resolves with its port. */
export async function behindTls(port: number, whenDone: WhenDone): Promise<number> {
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(caFile)]);
  const server = createTls({ key, cert }, (socket) => join(socket, connect(port, '127.0.0.1')));
  // A client that does not trust us disconnects.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return listening(server, whenDone);
}

/** A proxy whose tunnels all lead to `port`. `asked` are the hosts that its clients requested. */
export async function tunnelTo(port: number, whenDone: WhenDone): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createHttp().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(socket, upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  return { url: `http://127.0.0.1:${await listening(proxy, whenDone)}`, asked };
}

/** A proxy that refuses every connection. */
export async function refusingProxy(whenDone: WhenDone): Promise<string> {
  const proxy = createHttp().on('connect', (_request, socket) =>
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  );
  return `http://127.0.0.1:${await listening(proxy, whenDone)}`;
}

/** Closing one side closes the other. */
function join(a: Duplex, b: Duplex): void {
  pipeline(a, b, a, () => {
    a.destroy();
    b.destroy();
  });
}

async function listening(server: Server, whenDone: WhenDone): Promise<number> {
  const open = new Set<Duplex>();
  server.on('connection', (socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenDone(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // A listening TCP server has an address with a port; the string form belongs to pipes.
  return (server.address() as AddressInfo).port;
}
