import type { HttpClient } from '../../lib/network/http-client.ts';

/** Queries a server; undefined if there is no usable response, for any reason. */
export type Query = (path: string, body?: unknown) => Promise<unknown>;

export type AskOptions = {
  http: HttpClient;
  signal: AbortSignal;
  headers?: Record<string, string>;
  /** Called with each error response. */
  onError?(status: number, body: string): void;
};

/** Paths with a leading slash are relative to the server's root, others to its base URL. */
export function createQuery(baseUrl: string, { http, signal, headers = {}, onError }: AskOptions): Query {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v\d+$/, '');
  return async (path, body) => {
    const isPost = body !== undefined;
    try {
      const { status, text } = await http({
        url: path.startsWith('/') ? root + path : `${base}/${path}`,
        signal,
        headers: { ...headers, ...(isPost && { 'content-type': 'application/json' }) },
        ...(isPost && { method: 'POST', body: JSON.stringify(body) }),
      });
      const answer = await text();
      if (status === 200) return JSON.parse(answer) as unknown;
      onError?.(status, answer);
      return undefined;
    } catch {
      // Any failure means that there is no usable server.
      return undefined;
    }
  };
}

/** The fields of an object, empty for anything else; a server may return anything. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function numberAs<Key extends string>(key: Key, value: unknown): { [K in Key]?: number } {
  const fact = typeof value === 'number' && Number.isFinite(value) && value > 0;
  return (fact ? { [key]: value } : {}) as { [K in Key]?: number };
}

export function textAs<Key extends string>(key: Key, value: unknown): { [K in Key]?: string } {
  return (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { [K in Key]?: string };
}

/** Smaller and larger numbers are no windows of a model that can talk: 0, -1 and the like mean "not set". */
const WINDOWS = { least: 256, most: 100_000_000 };

/** The first plausible context window among these values; some servers write numbers as text. */
export function windowAs(...values: readonly unknown[]): { contextWindow?: number } {
  const numbers = values.map((value) => (typeof value === 'string' ? Number(value) : value));
  const window = numbers.find(
    (value) => Number.isInteger(value) && Number(value) >= WINDOWS.least && Number(value) <= WINDOWS.most,
  );
  return window === undefined ? {} : { contextWindow: Number(window) };
}
