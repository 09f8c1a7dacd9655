import type { WireWatch } from './wire-watch.ts';

/** What the vendors' clients have in common. */
type RequestMaker = {
  buildRequest(call: Call): Promise<{ req: { headers: Headers }; url: string }>;
};

type Call = { method: 'post'; path: string; body: object; headers: Record<string, string> };

export type Send = (body: object, line: { watch: WireWatch; signal: AbortSignal }) => Promise<Response>;

/**
 * Sends bodies to one place of the vendor's. Its client says where that is and which headers, key and version belong to
 * it, once. To let the client send would take as long as everything else of ours: it logs, times, retries and wraps
 * what we do ourselves.
 */
export function sender(client: () => RequestMaker, path: string, headers: Record<string, string> = {}): Send {
  let head: Promise<{ url: string; headers: Record<string, string> }> | undefined;
  async function ask() {
    const { req, url } = await client().buildRequest({ method: 'post', path, body: {}, headers });
    return { url, headers: Object.fromEntries(req.headers) };
  }
  return async (body, { watch, signal }) => {
    signal.throwIfAborted();
    head ??= ask();
    const { url, headers } = await head;
    return watch.fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  };
}
