import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import { certificateProblem } from '../../lib/network/certificate-problem.ts';
import { retryAfterMs } from '../../lib/network/retry-after.ts';
import { exceedsMinuteQuota, meansOverflow } from './overflow.ts';
import { meansStaleReasoning } from './stale-reasoning.ts';

/** An error response from the server. */
export type HttpFailure = {
  provider: string;
  status: number;
  message: string;
  label?: string;
  /** Names in lower case. */
  headers?: Record<string, string>;
};

/** Also limits on spending: waiting does not help, unlike with limits per minute. */
const QUOTA =
  /quota|billing|insufficient.{0,10}(funds|balance|credit)|credit[ _]balance|spend(ing)?[ _](limit|cap)|(monthly|api) usage limit/i;
/** A router's own check of the prompt. */
const MODERATION = /moderation|flagged/i;

export function fromHttp({ provider, status, message, label, headers }: HttpFailure): ProviderError {
  const retryAfterMs = retryAfter(headers);
  return new ProviderError(message, {
    kind: kindOf(status, message, label),
    provider,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** `label` is the error type or code in the server's response, such as `context_length_exceeded`. */
export function kindOf(status: number, message: string, label = ''): ProviderErrorKind {
  const words = label === '' ? message : `${label} ${message}`;
  if (meansStaleReasoning(words)) return 'stale_reasoning';
  if (status === 403 && MODERATION.test(words)) return 'bad_request';
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 404) return 'model_not_found';
  if (status === 408) return 'timeout';
  if (status === 413 || exceedsMinuteQuota(words)) return 'overflow';
  if (status === 429)
    return QUOTA.test(words) && !/per (minute|second|day)/i.test(words) ? 'quota' : 'rate_limit';
  // Routers and local servers report it with any status.
  if (meansOverflow(words)) return 'overflow';
  if (status >= 500)
    return status === 503 || status === 529 || /overload/i.test(words) ? 'overloaded' : 'server_error';
  return QUOTA.test(words) ? 'quota' : 'bad_request';
}

/** `Retry-After` in seconds or as a date, or the milliseconds that some vendors send. */
function retryAfter(headers: HttpFailure['headers'] = {}): number | undefined {
  const ms = Number(headers['retry-after-ms']);
  if (Number.isFinite(ms) && ms > 0) return ms;

  return retryAfterMs(headers['retry-after']);
}

const DEAD = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

export type BrokenConnection = {
  provider: string;
  /** The address that was requested. */
  address: string;
  /** Whether the model had already produced output. */
  hasOutput: boolean;
};

/**
 * A failure without an HTTP response: connection refused (`network`), or a connection that broke. Programming
 * errors are rethrown unchanged.
 */
export function fromBrokenConnection(
  error: unknown,
  { provider, address, hasOutput }: BrokenConnection,
): ProviderError {
  const chain = causes(error);
  if (isMistake(error)) throw error;
  const code = chain
    .map((link) => (link as { code?: unknown }).code)
    .find((c): c is string => typeof c === 'string');
  const deepest = chain.at(-1);
  const detail = code ?? (deepest instanceof Error ? deepest.message : String(error));
  const broken = (kind: ProviderErrorKind, message: string) =>
    new ProviderError(message, { kind, provider }, { cause: error });

  if (hasOutput) return broken('cut', `The connection was lost in the middle of the answer (${detail}).`);
  const certificate = certificateProblem(error, address);
  if (certificate !== null) return broken('network', certificate);
  const proxied = chain.flatMap(
    (link) => /^Proxy response \((\d+)\)/.exec((link as Error).message ?? '') ?? [],
  );
  if (proxied[1] !== undefined) {
    const login = proxied[1] === '407' ? ' Add a user name and password to its URL.' : '';
    return broken('network', `The proxy refused to connect to ${address} (${proxied[1]}).${login}`);
  }
  if (code !== undefined && DEAD.has(code))
    return broken('network', `Could not connect to ${address} (${code}${peerIn(chain, address)}).`);
  return broken('timeout', `No answer from ${address} (${detail}).`);
}

/** Connection errors have a code; programming errors do not. */
function isMistake(error: unknown): boolean {
  const slip = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return slip && !('code' in error);
}

/** The peer that refused the connection, if it differs from the address: for example a proxy. */
function peerIn(chain: unknown[], address: string): string {
  const { address: host, port } = chain.at(-1) as { address?: string; port?: number };
  if (host === undefined || port === undefined) return '';
  return address.endsWith(`//${host}:${port}`) ? '' : ` ${host}:${port}`;
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link && chain.length < 8; link = (link as { cause?: unknown }).cause)
    chain.push(link);
  return chain;
}
