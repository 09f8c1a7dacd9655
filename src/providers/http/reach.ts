import { limited } from '../../lib/async/abort.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import type { Protocol } from '../presets.ts';

export type ReachOptions = {
  protocol: Protocol;
  baseUrl: string;
  /** Sent along to check whether the server accepts it; without one, only reachability is checked. */
  key?: string;
  http: HttpClient;
  timeoutMs: number;
};

/** `date` is the server's clock, if sent. */
export type Reached =
  | { type: 'answered'; status: number; ms: number; date?: string }
  | { type: 'silent'; because: string };

/** Whether a server answers a request for its model list, the cheapest one available. Never throws. */
export async function reach({ protocol, baseUrl, key, http, timeoutMs }: ReachOptions): Promise<Reached> {
  const started = performance.now();
  try {
    const { status, headers, body } = await http({
      url: listUrl(protocol, baseUrl),
      headers: key === undefined ? {} : keyHeaders(protocol, key),
      signal: limited(timeoutMs),
    });
    const ms = Math.round(performance.now() - started);
    const { date } = headers;
    // The list itself is not needed.
    for await (const _ of body) break;
    return { type: 'answered', status, ms, ...(date && { date }) };
  } catch (error) {
    return { type: 'silent', because: reasonOf(error, timeoutMs) };
  }
}

export function listUrl(protocol: Protocol, baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  switch (protocol) {
    case 'anthropic':
      return `${base.replace(/\/v1$/, '')}/v1/models`;
    case 'openai-responses':
    case 'openai-chat':
      return `${base}/models`;
    case 'bedrock-converse':
      return base;
    case 'google':
      return `${base.replace(/\/v1(beta)?$/, '')}/v1beta/models`;
    case 'ollama':
      return `${base}/api/tags`;
    default:
      return protocol satisfies never;
  }
}

function keyHeaders(protocol: Protocol, key: string): Record<string, string> {
  if (protocol === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return protocol === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

/** The system's error code, such as ECONNREFUSED, from anywhere in the chain of causes. */
function reasonOf(error: unknown, timeoutMs: number): string {
  let words = String(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000}s`;
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string') return code;
    words = cause.message;
  }
  return words;
}
