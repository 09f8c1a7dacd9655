import type { WireWatch } from './wire-watch.ts';

/** What the vendors' clients have in common. */
type RequestMaker = {
  buildRequest(options: Call): Promise<{ req: RequestInit; url: string }>;
};

type Call = { method: 'post'; path: string; body: object; headers?: Record<string, string> };

/**
 * Sends what the vendor's client makes of a call: the address, the key, the headers and the body. To let the client
 * send it would take as long as everything else of ours, for it logs, times, retries and wraps what we do ourselves.
 */
export async function post(
  client: RequestMaker,
  call: Omit<Call, 'method'>,
  { watch, signal }: { watch: WireWatch; signal: AbortSignal },
): Promise<Response> {
  signal.throwIfAborted();
  const { req, url } = await client.buildRequest({ method: 'post', ...call });
  return watch.fetch(url, { ...req, method: 'POST', signal });
}
