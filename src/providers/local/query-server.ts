import type { HttpClient } from '../../lib/network/http-client.ts';

/** One question to a server; undefined when there is no usable answer, whatever the reason. */
export type Ask = (path: string, body?: unknown) => Promise<unknown>;

/** Paths that begin with a slash count from the server's root, others from its base URL. */
export function asker(baseUrl: string, http: HttpClient, signal: AbortSignal): Ask {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v\d+$/, '');
  return async (path, body) => {
    const post = {
      method: 'POST' as const,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    try {
      const { status, text } = await http({
        url: path.startsWith('/') ? root + path : `${base}/${path}`,
        signal,
        ...(body !== undefined && post),
      });
      const answer = await text();
      return status === 200 ? (JSON.parse(answer) as unknown) : undefined;
    } catch {
      // Whatever went wrong, nothing usable answers there.
      return undefined;
    }
  };
}

const TICK_MS = 25;

/** Ends after this time, not counting the time in which this process itself was too busy to listen. */
export function listeningTime(ms: number): AbortSignal {
  const end = new AbortController();
  let left = ms;
  const clock = setInterval(() => {
    left -= TICK_MS;
    if (left > 0) return;
    clearInterval(clock);
    end.abort(new Error(`No answer within ${ms} ms.`));
  }, TICK_MS);
  clock.unref();
  return end.signal;
}

/** The fields of anything that has some; a server may answer whatever it likes. */
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
