import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { limited } from '../async/abort.ts';

export type HttpRequest = {
  url: string;
  /** GET by default. */
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
};

export type HttpResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Decoded, streamed, and read once; throws if the connection breaks before its end. */
  body: AsyncIterable<Uint8Array>;
  /** The rest of the body as one text. */
  text(): Promise<string>;
};

/** Sends one request. Rejects when there is no response; an abort rejects with the signal's reason. */
export type HttpClient = (request: HttpRequest) => Promise<HttpResponse>;

/** One request and the head of its response, independent of the library. */
export type Transport = (
  request: HttpRequest,
) => Promise<{ status: number; headers: IncomingHttpHeaders; stream: Readable }>;

const MAX_REDIRECTS = 5;
/** How long an abandoned body may take to end, so that its connection can be reused. */
const DRAIN_MS = 50;

export function createHttpClient(transport: Transport): HttpClient {
  const send = async (request: HttpRequest, redirects: number): Promise<HttpResponse> => {
    request.signal?.throwIfAborted();
    const { status, headers, stream } = await transport(request).catch((error: unknown) => {
      request.signal?.throwIfAborted();
      throw error;
    });
    stream.on('error', unread);
    const location = redirects < MAX_REDIRECTS && redirectOf(request, status, headers.location);
    if (location) {
      stream.resume();
      return send({ ...request, url: location }, redirects + 1);
    }
    const content = decoded(stream, headers['content-encoding']).on('error', unread);
    return responseOf({ status, headers: joined(headers), body: chunksOf(content) });
  };
  return (request) => send(request, 0);
}

function unread(): void {
  // The reader of the body gets the error. Without a reader it does not matter.
}

/** The same response; each chunk of its body is also passed to a listener just before its reader. */
export function tapped(response: HttpResponse, listener: (chunk: Uint8Array) => void): HttpResponse {
  async function* heard(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body) {
      listener(chunk);
      yield chunk;
    }
  }
  return withBody(response, heard());
}

/** The same response with another body. */
export function withBody({ status, headers }: HttpResponse, body: AsyncIterable<Uint8Array>): HttpResponse {
  return responseOf({ status, headers, body });
}

function responseOf(response: Omit<HttpResponse, 'text'>): HttpResponse {
  return {
    ...response,
    async text() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
  };
}

/** The redirect target. Never another host: the request carries a key. */
function redirectOf({ url, method }: HttpRequest, status: number, location?: string): string | undefined {
  const keepsMethod = status === 307 || status === 308;
  const isRedirect = keepsMethod || (method !== 'POST' && [301, 302, 303].includes(status));
  if (!isRedirect || location === undefined || !URL.canParse(location, url)) return undefined;
  const [from, to] = [new URL(url), new URL(location, url)];
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return from.origin === to.origin || isUpgrade ? to.href : undefined;
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** No encoding is requested, but some servers use one anyway. */
function decoded(stream: Readable, encoding = 'identity'): Readable {
  if (encoding === 'identity') return stream;
  const decoder = decoders[encoding.toLowerCase()]?.();
  if (!decoder) {
    stream.destroy();
    throw new Error(`The server used an unknown content encoding, ${encoding}.`);
  }
  return pipeline(stream, decoder, () => undefined);
}

async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    await drain(stream);
  }
}

/** Readers stop at the last event, usually just before the end. */
async function drain(stream: Readable): Promise<void> {
  if (stream.destroyed || stream.readableEnded) return;
  stream.resume();
  await finished(stream, { signal: limited(DRAIN_MS) }).catch(() => undefined);
  stream.destroy();
}

/**
 * Connects directly, with the runtime's certificates and its own connections. Uses the runtime's HTTP client
 * because `fetch` gives up after 300 s of silence.
 */
export function createDirectClient(): HttpClient {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });

  const overNode: Transport = async (sent) => {
    const { url, method = 'GET', headers = {}, body, signal } = sent;
    const options = { method, headers, ...(signal && { signal }) };
    const request = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: https })
      : httpRequest(url, { ...options, agent: http });
    try {
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('error', reject);
        request.once('response', resolve);
        request.end(body);
      });
      return { status: message.statusCode ?? 0, headers: message.headers, stream: message };
    } catch (error) {
      // The server closed a kept connection just as it was reused, so it has not seen the request.
      const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
      if (isStale && !signal?.aborted) return overNode(sent);
      throw error;
    }
  };
  return createHttpClient(overNode);
}

/** The default client. */
export const httpClient: HttpClient = createDirectClient();
