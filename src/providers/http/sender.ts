import type { WireWatch } from './wire-watch.ts';

/** Where requests go, and the headers they have: key, version and whatever else the vendor's client adds. */
export type Head = { url: string; headers: Record<string, string> };

export type Send = (body: object, line: { watch: WireWatch; signal: AbortSignal }) => Promise<Response>;

/**
 * Sends bodies to one place of a vendor's, with the head that its client gives once. To let the client send would take
 * as long as everything else of ours: it logs, times, retries and wraps what we do ourselves.
 */
export function sender(askForHead: () => Promise<Head>): Send {
  let head: Promise<Head> | undefined;
  return async (body, { watch, signal }) => {
    signal.throwIfAborted();
    head ??= askForHead().catch((error: unknown) => {
      head = undefined;
      throw error;
    });
    const { url, headers } = await head;
    return watch.fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  };
}

/** What the clients of Anthropic and OpenAI have in common. */
type RequestMaker = {
  buildRequest(call: {
    method: 'post';
    path: string;
    body: object;
    headers: Record<string, string>;
  }): Promise<{ req: { headers: Headers }; url: string }>;
};

export function senderTo(
  path: string,
  client: () => RequestMaker,
  headers: Record<string, string> = {},
): Send {
  return sender(async () => {
    const { req, url } = await client().buildRequest({ method: 'post', path, body: {}, headers });
    return { url, headers: Object.fromEntries(req.headers) };
  });
}
