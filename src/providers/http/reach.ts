import { limited } from '../../lib/async/abort.ts';
import { certificateProblem } from '../../lib/network/certificate-problem.ts';
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

/**
 * `date` is the server's clock, if sent. `needsKey`: whether the list is refused without one; if not, the answer says
 * nothing about a key.
 */
export type Reached =
  | { type: 'answered'; status: number; ms: number; needsKey?: boolean; date?: string }
  | { type: 'silent'; because: string };

/** Whether a server answers a request for its model list, the cheapest one available. Never throws. */
export async function reach({ protocol, baseUrl, key, http, timeoutMs }: ReachOptions): Promise<Reached> {
  const url = listUrl(protocol, baseUrl);
  const ask = async (sent: Record<string, string>) => {
    const { status, headers, body } = await http({ url, headers: sent, signal: limited(timeoutMs) });
    // The list itself is not needed.
    for await (const _ of body) break;
    return { status, date: headers.date };
  };
  const started = performance.now();
  try {
    const { status, date } = await ask(key === undefined ? {} : keyHeaders(protocol, key));
    const ms = Math.round(performance.now() - started);
    const answered = { type: 'answered', status, ms, ...(date && { date }) } as const;
    if (key === undefined || status >= 300) return answered;
    const without = await ask({}).catch(() => null);
    return { ...answered, needsKey: without?.status === 401 || without?.status === 403 };
  } catch (error) {
    const server = URL.canParse(url) ? new URL(url).host : 'the server';
    return { type: 'silent', because: certificateProblem(error, server) ?? reasonOf(error, timeoutMs) };
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
