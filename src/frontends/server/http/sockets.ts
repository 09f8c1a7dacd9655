import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Access } from '../access/access-store.ts';
import { includesRole, named } from '../identity.ts';
import { ACCESS_ENDED, SOCKET_PATH } from '../server-methods.ts';
import { addressOf, authenticate, type Door, PROTOCOL } from './authenticate.ts';
import { checkRequest, isRefusal, type Refusal } from './check-request.ts';
import type { Sites } from './hosts.ts';
import { logRefusal, refuseOn } from './refusals.ts';
import type { ServerOptions } from './types.ts';

/** Enough for a prompt with a few images. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Viewers only ask what there is to see. */
const MAX_MESSAGE_BYTES_OF_VIEWER = 64 * 1024;
/** A client that reads slower than this much is cut off; it attaches again and gets what it missed. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const MAX_SOCKETS = 1_024;
const MAX_SOCKETS_OF_GUEST = 32;
const HEARTBEAT_MS = 15_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How long a client has to confirm that its connection ends. */
const CLOSE_MS = 1_000;

const GOING_AWAY = 1001;

type Open = { access: Access; address: string; alive: boolean };

/** Connections of participants: authenticated, bounded, and cut when their access ends. */
export class Sockets {
  readonly #door: Door;
  readonly #sites: Sites;
  readonly #on: Pick<ServerOptions, 'onSocket' | 'onAccessChanged'>;
  readonly #open = new Map<WebSocket, Open>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #viewers = this.#newServer(MAX_MESSAGE_BYTES_OF_VIEWER);
  readonly #others = this.#newServer(MAX_MESSAGE_BYTES);

  constructor(door: Door, sites: Sites, on: Pick<ServerOptions, 'onSocket' | 'onAccessChanged'>) {
    this.#door = door;
    this.#sites = sites;
    this.#on = on;
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT_MS).unref();
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const found = await this.#admit(request);
    if (isRefusal(found)) return this.#refuse(found, request, socket);
    const address = addressOf(request, this.#door);
    const server = found.who.role === 'viewer' ? this.#viewers : this.#others;
    server.handleUpgrade(request, socket, head, (connected) => this.#add(connected, found, address));
  }

  /** Closes the connections that used this sign-in. */
  signedOut(signIn: string): void {
    for (const [socket, { access }] of this.#open) if (access.signIn === signIn) end(socket, ACCESS_ENDED);
  }

  /** Closes the connections whose access was revoked or has expired. */
  async revalidate(): Promise<void> {
    for (const [socket, { access }] of this.#open)
      if (!(await this.#door.store.isValid(access))) end(socket, ACCESS_ENDED);
    this.#on.onAccessChanged();
  }

  close(): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#open.keys()) end(socket, GOING_AWAY);
    this.#viewers.close();
    this.#others.close();
  }

  #newServer(maxPayload: number): WebSocketServer {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload,
      // Compression together with secrets leaks them, and costs much memory per client.
      perMessageDeflate: false,
      WebSocket: BoundedSocket,
      // The key of a page is never sent back.
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    });
    return server.on('wsClientError', (error, socket, request) =>
      this.#refuse({ status: 400, reason: error.message }, request, socket),
    );
  }

  #refuse(refusal: Refusal, request: IncomingMessage, socket: Duplex): void {
    logRefusal(request, refusal, this.#door);
    refuseOn(socket, refusal);
  }

  async #admit(request: IncomingMessage): Promise<Access | Refusal> {
    const checked = checkRequest(request, this.#sites);
    if (isRefusal(checked)) return checked;
    if (request.method !== 'GET') return { status: 405, reason: 'wrong method' };
    if (request.url?.split('?')[0] !== SOCKET_PATH) return { status: 404, reason: 'unknown path' };
    const access = await authenticate(request, checked, this.#door);
    if (isRefusal(access)) return access;
    const { grant } = access;
    const same = [...this.#open.values()].filter((one) => one.access.grant === grant).length;
    const isGuest = !includesRole(access.who.role, 'owner');
    if (this.#open.size >= MAX_SOCKETS || (isGuest && same >= MAX_SOCKETS_OF_GUEST))
      return { status: 503, reason: 'too many connections' };
    return access;
  }

  #add(socket: WebSocket, access: Access, address: string): void {
    const { who } = access;
    const open: Open = { access, address, alive: true };
    this.#open.set(socket, open);
    this.#door.log.writeLimited({ event: 'connected', by: named(who), address });
    socket.on('pong', () => {
      open.alive = true;
    });
    // What breaks the protocol closes the connection.
    socket.on('error', () => socket.terminate());
    const expiry = this.#whenExpired(access);
    socket.on('close', (code) => {
      clearTimeout(expiry);
      this.#open.delete(socket);
      this.#door.log.writeLimited({ event: 'disconnected', by: named(who), address, detail: `code ${code}` });
    });
    this.#on.onSocket(socket, who, () => this.#door.store.isValid(access));
  }

  #whenExpired({ expiresAt }: Access): NodeJS.Timeout | undefined {
    if (expiresAt === null) return undefined;
    const left = Date.parse(expiresAt) - Date.now() + 1;
    return setTimeout(() => void this.revalidate(), Math.min(left, LONGEST_TIMER_MS)).unref();
  }

  async #beat(): Promise<void> {
    for (const [socket, open] of this.#open) {
      if (!open.alive) socket.terminate();
      open.alive = false;
      if (socket.readyState === WebSocket.OPEN) socket.ping();
    }
    await this.revalidate();
  }
}

/** Does not queue without limit for a client that does not read. */
class BoundedSocket extends WebSocket {
  override send(...args: unknown[]): void {
    if (this.bufferedAmount > MAX_UNSENT_BYTES) this.terminate();
    else Reflect.apply(super.send, this, args);
  }
}

/** Nothing that arrives after this is handled. */
function end(socket: WebSocket, code: number): void {
  socket.removeAllListeners('message');
  socket.close(code, code === ACCESS_ENDED ? 'access ended' : 'server stopped');
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
}
