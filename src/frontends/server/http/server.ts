import { type FSWatcher, watch } from 'node:fs';
import {
  createServer,
  type ServerOptions as HttpOptions,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { UserError } from '../../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../../lib/files/errno.ts';
import { createAccessLog } from '../../../observability/audit/access-log.ts';
import { AccessStore } from '../access/access-store.ts';
import { createInvitations, signInLink } from '../access/invitations.ts';
import { ownerToken } from '../access/secrets.ts';
import { createSignIns } from '../access/sign-ins.ts';
import { certificateText } from './announcement.ts';
import { Attempts, networkOf } from './attempts.ts';
import type { Door } from './authenticate.ts';
import { type Certificate, givenCertificate, ownCertificate, publishCertificate } from './certificate.ts';
import { type Checked, checkRequest, isRefusal } from './check-request.ts';
import { DEFAULT_PORT, isLoopback, type Listen, ownNames, parseHost, parseListen, sitesOf } from './hosts.ts';
import { loadPageFiles } from './page-files.ts';
import { hintFor, logRefusal, refusalHeaders, refuseOn } from './refusals.ts';
import { type Bindings, createRoutes } from './routes.ts';
import { Sockets } from './sockets.ts';
import type { RunningServer, ServerOptions } from './types.ts';

/** Clients that send their headers or bodies slowly are cut off. */
const LIMITS: HttpOptions = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
  // Refused with all others that name no host of ours.
  requireHostHeader: false,
};
const HANDSHAKE_MS = 10_000;
const MAX_CONNECTIONS = 2_048;
const MAX_CONNECTIONS_OF_NETWORK = 256;
const DAY_MS = 24 * 60 * 60_000;

/** Listens, and lets in who has a token, a signed-in browser or an invitation. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { folder, allowHosts = [], behindProxy = false } = options;
  const listen = parseListen(options.listen ?? '127.0.0.1');
  ownerToken(folder);
  const certificate = await certificateFor(listen, options);
  const server = certificate
    ? createTlsServer({ ...LIMITS, ...certificate, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS })
    : createServer(LIMITS);
  const files = await loadPageFiles();
  const { port } = await bind(server, listen);
  // Nothing is awaited until requests are answered: one that came before would never be.
  const { address } = listen;
  const sites = sitesOf({ address, port }, { tls: certificate !== null, allowHosts });
  const log = createAccessLog({ file: options.auditFile, onTrouble: options.onTrouble });
  const door: Door = { store: new AccessStore(folder), attempts: new Attempts(), log, port, behindProxy };
  const sockets = new Sockets(door, sites, options);
  const routes = createRoutes(door, files, (signIn) => sockets.signedOut(signIn));
  answer(server, { door, sites, sockets, fetch: (request, env) => routes.fetch(request, env) });

  const scheme = certificate ? 'https' : 'http';
  const names = ownNames(address);
  const inside = names.find((name) => name === '127.0.0.1') ?? names[0];
  const [named = `${names[0]}:${port}`] = allowHosts.map(parseHost);
  // Browsers reach our own TLS at its port, and a proxy at the port of its scheme.
  const site = sites().get(certificate && !/:\d+$/.test(named) ? `${named}:${port}` : named);
  const publicUrl = site?.origin ?? `${scheme}://${names[0]}:${port}`;
  await door.store.saveUrl(publicUrl);
  await publishCertificate(folder, certificate);
  const watcher = watchAccess(folder, () => void sockets.revalidate());
  let renewed = Promise.resolve();
  const renewal = setInterval(() => {
    renewed = renewed.then(() => renew(server, listen, options));
  }, options.renewMs ?? DAY_MS).unref();

  return {
    url: `${scheme}://${inside}:${port}`,
    publicUrl,
    address,
    port,
    fingerprint: certificate?.fingerprint ?? null,
    ownCertificate: certificate?.own ?? null,
    signInLink: () => signInLink(door.store, publicUrl),
    invitations: createInvitations({
      store: door.store,
      log,
      url: publicUrl,
      onRevoked: () => sockets.revalidate(),
    }),
    signIns: createSignIns({ store: door.store, log, onEnded: () => sockets.revalidate() }),
    // A guest may do these any number of times.
    audit: (entry) =>
      ['refused', 'watched'].includes(entry.event) ? log.writeLimited(entry) : log.write(entry),
    async close() {
      watcher?.close();
      clearInterval(renewal);
      await renewed;
      sockets.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      log.close();
    },
  };
}

type Answering = {
  door: Door;
  sites: ReturnType<typeof sitesOf>;
  sockets: Sockets;
  fetch(request: Request, env: Bindings): Response | Promise<Response>;
};

/** Every request and every upgrade passes the same checks before anything else looks at it. */
function answer(server: Server | TlsServer, { door, sites, sockets, fetch }: Answering): void {
  const passed = new WeakMap<IncomingMessage, Checked>();
  const listener = getRequestListener((request, env) => {
    const { incoming, outgoing } = env as Bindings;
    const checked = passed.get(incoming);
    if (!checked) throw new Error('A request was not checked.');
    return fetch(request, { incoming, outgoing, checked });
  });
  server.on('request', (request, response) => {
    const checked = checkRequest(request, sites);
    if (!isRefusal(checked)) {
      passed.set(request, checked);
      void listener(request, response);
      return;
    }
    logRefusal(request, checked, door);
    response.writeHead(checked.status, refusalHeaders(checked)).end(`${hintFor(checked)}\n`);
  });
  server.on('upgrade', (request, socket, head) => {
    sockets.upgrade(request, socket, head).catch(() => socket.destroy());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
    const address = (socket as Socket).remoteAddress ?? '';
    door.log.writeLimited({ event: 'refused', address, detail: `malformed request: ${error.code}` });
    refuseOn(socket, { status, reason: '' });
  });
  limitConnections(server);
}

/** Another process may revoke an invitation. Where folders cannot be watched, the next heartbeat notices it. */
function watchAccess(folder: string, onChange: () => void): FSWatcher | null {
  return unlessErrno('any', null, () => {
    const watcher = watch(folder, { persistent: false }, onChange);
    return watcher.on('error', () => watcher.close());
  });
}

function limitConnections(server: Server | TlsServer): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    // Clients on this machine may be many, behind a proxy all are.
    if (count > MAX_CONNECTIONS_OF_NETWORK && !isLoopback(address)) return socket.destroy();
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

/** Null for plain HTTP, which only this machine can reach. */
async function certificateFor(listen: Listen, options: ServerOptions): Promise<Certificate | null> {
  const { tls, folder, allowHosts = [], behindProxy } = options;
  if (behindProxy && !isLoopback(listen.address))
    throw new UserError(
      `--behind-proxy needs a loopback address, not ${listen.address}.`,
      'Clients that bypass the proxy could name any address as their own. Remove --listen or --behind-proxy.',
    );
  if (tls !== undefined && tls !== 'own') return givenCertificate(tls);
  if (tls !== 'own' && isLoopback(listen.address)) return null;
  // Addresses of a wildcard may change with the network: their certificate would, too.
  const address = ['0.0.0.0', '::'].includes(listen.address) ? [] : [listen.address];
  const hosts = allowHosts.map((host) =>
    parseHost(host)
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );
  return ownCertificate(folder, [...address, ...hosts]);
}

/** A certificate that was renewed, by us or by its owner, is used without a restart. */
async function renew(server: Server | TlsServer, listen: Listen, options: ServerOptions): Promise<void> {
  if (!('setSecureContext' in server)) return;
  try {
    const fresh = await certificateFor(listen, options);
    if (!fresh) return;
    if (fresh.own?.replaces) options.onTrouble(certificateText(fresh.fingerprint, fresh.own));
    server.setSecureContext(fresh);
    await publishCertificate(options.folder, fresh);
  } catch (error) {
    options.onTrouble(`Cannot renew the certificate: ${(error as Error).message}`);
  }
}

async function bind(server: Server | TlsServer, { address, port }: Listen): Promise<AddressInfo> {
  try {
    return await listenOn(server, address, port ?? DEFAULT_PORT);
  } catch (error) {
    if (isErrno(error, ['EADDRINUSE']) && port === null) return await listenOn(server, address, 0);
    if (isErrno(error, ['EADDRINUSE']))
      throw new UserError(`Port ${port} is in use.`, `Choose another one with --listen ${address}:PORT.`);
    if (isErrno(error, ['EADDRNOTAVAIL']))
      throw new UserError(
        `${address} is not an address of this machine.`,
        'Choose one of its own with --listen.',
      );
    if (isErrno(error, ['EACCES']))
      throw new UserError(`You may not listen on port ${port}.`, 'Choose a port above 1023.');
    throw error;
  }
}

function listenOn(server: Server | TlsServer, address: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, ipv6Only: true }, () => {
      server.off('error', reject);
      // A listening TCP server has an address and a port.
      resolve(server.address() as AddressInfo);
    });
  });
}
