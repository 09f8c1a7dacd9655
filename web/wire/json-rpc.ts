/** A failure that the other side reported. */
export class RpcError extends Error {
  readonly code: number;

  constructor({ code, message }: { code: number; message: string }) {
    super(message);
    this.code = code;
  }
}

/** What the other side asks. A request is answered when its promise settles; `signal` says that nobody waits any more. */
export type Incoming = {
  onRequest(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  onNotification(method: string, params: unknown): void;
};

type Id = number | string;
type Message = {
  id?: Id | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
};
type Waiting = { resolve(result: unknown): void; reject(reason: Error): void };

const CANCEL = '$/cancel_request';
const REQUEST_CANCELLED = -32_800;
const METHOD_NOT_FOUND = -32_601;

/** One JSON-RPC 2.0 connection: both sides may ask. */
export class JsonRpc {
  readonly #send: (text: string) => void;
  readonly #incoming: Incoming;
  readonly #waiting = new Map<Id, Waiting>();
  readonly #asked = new Map<Id, AbortController>();
  #lastId = 0;

  constructor(send: (text: string) => void, incoming: Incoming) {
    this.#send = send;
    this.#incoming = incoming;
  }

  request<Result>(method: string, params: unknown): Promise<Result> {
    this.#lastId++;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#write({ id, method, params });
    return answer as Promise<Result>;
  }

  notify(method: string, params: unknown): void {
    this.#write({ method, params });
  }

  /** A message of the other side, which is trusted to speak the protocol. */
  take(text: string): void {
    const message = JSON.parse(text) as Message;
    const { id, method, params } = message;
    if (method === undefined) this.#settle(message);
    else if (method === CANCEL) this.#asked.get((params as { requestId: Id }).requestId)?.abort();
    else if (id === undefined || id === null) this.#incoming.onNotification(method, params);
    else void this.#answer(id, method, params);
  }

  /** Nobody answers any more. */
  end(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    for (const asked of this.#asked.values()) asked.abort();
    this.#asked.clear();
  }

  #settle({ id, result, error }: Message): void {
    const waiting = this.#waiting.get(id ?? '');
    this.#waiting.delete(id ?? '');
    if (error) waiting?.reject(new RpcError(error));
    else waiting?.resolve(result);
  }

  async #answer(id: Id, method: string, params: unknown): Promise<void> {
    const cancelled = new AbortController();
    this.#asked.set(id, cancelled);
    try {
      const result = await this.#incoming.onRequest(method, params, cancelled.signal);
      if (this.#asked.has(id)) this.#write({ id, result });
    } catch (error) {
      const code = cancelled.signal.aborted ? REQUEST_CANCELLED : METHOD_NOT_FOUND;
      if (this.#asked.has(id)) this.#write({ id, error: { code, message: String(error) } });
    } finally {
      this.#asked.delete(id);
    }
  }

  #write(message: Message): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
