import type { InitializeRequest } from '@agentclientprotocol/sdk';
import type { ClientExtensions } from '../../src/frontends/acp/extension-methods.ts';
import { ACCESS_ENDED, serverMethods } from '../../src/frontends/server/server-methods.ts';
import { type Incoming, JsonRpc } from './json-rpc.ts';

/** `signed out`: the access ended; connecting again needs a new sign-in. */
export type LinkState = 'connecting' | 'online' | 'offline' | 'signed out';

export type LinkListener = {
  onState?(state: LinkState): void;
  onNotification?: Incoming['onNotification'];
  /** Undefined if the question is for another listener. */
  onRequest?(...asked: Parameters<Incoming['onRequest']>): Promise<unknown> | undefined;
};

/** What is used of a WebSocket; programs have other ones than pages. */
export type LinkSocket = {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (message: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (closed: { code: number }) => void): void;
};

export type LinkOptions = {
  /** Throws if there is no server at the moment. `onRefused`: it does not accept this client. */
  open(onRefused: () => void): LinkSocket;
  /** Of the client. */
  name: string;
  /** Calls the listener when it makes sense to try again at once. Returns how to stop that. */
  onReturn?(listener: () => void): () => void;
  /** Milliseconds until the next try, by how many failed. */
  delay?(failures: number): number;
};

/** How long nothing may come before the connection is tested, and how long the test may take. */
const QUIET_MS = 25_000;
const ANSWER_MS = 8_000;
/** How long opening a connection may take: one that a dying server took is never answered, and no browser says so. */
const OPEN_MS = 30_000;

const extensions: ClientExtensions = { aca: { changes: true, options: true } };
const greeting = (name: string): InitializeRequest => ({
  protocolVersion: 1,
  clientCapabilities: { session: { notices: {} }, elicitation: { form: {} }, _meta: extensions },
  clientInfo: { name, version: '1' },
});

const offline = () => new Error('Not connected to the server. Try again when the connection is back.');

/** Keeps a connection to the server: whenever it breaks, another one is opened. */
export class ServerLink {
  readonly #options: LinkOptions;
  readonly #listeners = new Set<LinkListener>();
  #state: LinkState = 'connecting';
  readonly #offReturn: () => void;
  #socket: LinkSocket | null = null;
  #rpc: JsonRpc | null = null;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #test: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#offReturn = options.onReturn?.(() => this.#hurry()) ?? (() => undefined);
    this.#connect();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Returns how to stop listening. */
  listen(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async request<Result>(method: string, params: unknown): Promise<Result> {
    if (this.#state !== 'online' || !this.#rpc) throw offline();
    return this.#rpc.request<Result>(method, params);
  }

  notify(method: string, params: unknown): void {
    if (this.#state === 'online') this.#rpc?.notify(method, params);
  }

  close(): void {
    this.#offReturn();
    clearTimeout(this.#retry);
    this.#drop();
  }

  #connect(): void {
    clearTimeout(this.#retry);
    const socket = this.#tryToOpen();
    if (!socket) {
      this.#lost(0);
      return;
    }
    this.#socket = socket;
    this.#test = setTimeout(() => this.#lost(0), OPEN_MS);
    const rpc = new JsonRpc((text) => socket.send(text), {
      onRequest: (method, params, signal) => this.#asked(method, params, signal),
      onNotification: (method, params) => {
        for (const { onNotification } of this.#listeners) onNotification?.(method, params);
      },
    });
    this.#rpc = rpc;
    socket.addEventListener('open', () => {
      rpc.request('initialize', greeting(this.#options.name)).then(
        () => this.#socket === socket && this.#become('online'),
        () => socket.close(),
      );
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      if (this.#state === 'online') this.#watch();
      rpc.take(String(data));
    });
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#lost(code);
    });
  }

  #tryToOpen(): LinkSocket | null {
    try {
      const socket = this.#options.open(() => this.#socket === socket && this.#lost(ACCESS_ENDED));
      return socket;
    } catch {
      return null;
    }
  }

  #lost(code: number): void {
    this.#drop();
    if (code === ACCESS_ENDED) {
      this.#become('signed out');
      return;
    }
    this.#failures++;
    this.#become('offline');
    const delay = this.#options.delay ?? backOff;
    this.#retry = setTimeout(() => this.#connect(), delay(this.#failures));
  }

  #drop(): void {
    clearTimeout(this.#test);
    const socket = this.#socket;
    this.#socket = null;
    this.#rpc?.end(offline());
    this.#rpc = null;
    socket?.close();
  }

  #become(state: LinkState): void {
    this.#state = state;
    if (state === 'online') {
      this.#failures = 0;
      this.#watch();
    }
    for (const { onState } of [...this.#listeners]) onState?.(state);
  }

  /** A phone that slept may hold a connection that is long dead, and no browser says so. */
  #watch(): void {
    clearTimeout(this.#test);
    this.#test = setTimeout(() => this.#probe(), QUIET_MS);
  }

  #probe(): void {
    clearTimeout(this.#test);
    this.#test = setTimeout(() => this.#lost(0), ANSWER_MS);
    this.#rpc?.request(serverMethods.overview, {}).catch(() => undefined);
  }

  /** The network or the user is back: do not wait. */
  #hurry(): void {
    if (this.#state === 'offline' && !this.#socket) this.#connect();
    else if (this.#state === 'online') this.#probe();
  }

  async #asked(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    for (const { onRequest } of this.#listeners) {
      const answer = onRequest?.(method, params, signal);
      if (answer) return answer;
    }
    throw new Error(`Nobody answers ${method} here.`);
  }
}

/** Up to 10 s, never all browsers at the same time. */
function backOff(failures: number): number {
  return Math.min(10_000, 250 * 2 ** Math.min(failures, 6)) * (0.75 + Math.random() / 2);
}
