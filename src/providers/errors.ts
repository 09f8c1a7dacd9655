import { ProviderError, type ProviderErrorKind } from '../contract/errors.ts';

/** A failed HTTP exchange, whichever library made it. */
export type HttpFailure = {
  provider: string;
  status: number;
  message: string;
  headers?: Headers | Record<string, string> | undefined;
  cause?: unknown;
};

const OVERFLOW =
  /context.{0,20}(length|window|size)|too many (input )?tokens|prompt is too long|maximum.{0,20}tokens|exceeds? the (available )?context|input token count/i;
const QUOTA = /quota|billing|insufficient.{0,10}(funds|balance|credit)|credit balance/i;

export function fromHttp({ provider, status, message, headers, cause }: HttpFailure): ProviderError {
  const retryAfterMs = retryAfter(headers);
  return new ProviderError(
    message,
    {
      kind: kindOf(status, message),
      provider,
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
    { cause },
  );
}

export function kindOf(status: number, message: string): ProviderErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 404) return 'model_not_found';
  if (status === 408) return 'timeout';
  if (status === 413) return 'overflow';
  if (status === 429)
    return QUOTA.test(message) && !/per (minute|second|day)/i.test(message) ? 'quota' : 'rate_limit';
  if (status >= 500) return 'overloaded';
  if (OVERFLOW.test(message)) return 'overflow';
  return QUOTA.test(message) ? 'quota' : 'bad_request';
}

/** `Retry-After` in seconds or as a date, or the milliseconds some vendors send. */
function retryAfter(headers: HttpFailure['headers']): number | undefined {
  const read = (name: string) =>
    (headers instanceof Headers ? headers.get(name) : headers?.[name]) ?? undefined;
  const ms = Number(read('retry-after-ms'));
  if (Number.isFinite(ms) && ms > 0) return ms;

  const value = read('retry-after');
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(delay) && delay >= 0 ? delay : undefined;
}

const DEAD = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);

export type BrokenConnection = {
  provider: string;
  /** Where the server was looked for. */
  address: string;
  /** Whether the model had already begun to answer. */
  begun: boolean;
};

/** A failure that never became an HTTP answer: nobody listens (`network`), or the connection broke. */
export function fromBrokenConnection(
  error: unknown,
  { provider, address, begun }: BrokenConnection,
): ProviderError {
  const chain = causes(error);
  const code = chain
    .map((link) => (link as { code?: unknown }).code)
    .find((c): c is string => typeof c === 'string');
  const deepest = chain.at(-1);
  const detail = code ?? (deepest instanceof Error ? deepest.message : String(error));
  const broken = (kind: ProviderErrorKind, message: string) =>
    new ProviderError(message, { kind, provider }, { cause: error });

  if (begun) return broken('cut', `The connection broke mid-answer (${detail}).`);
  if (chain.some((link) => link instanceof Error && /certificate|self.signed/i.test(link.message))) {
    return broken(
      'network',
      `The certificate of ${address} is not trusted (${detail}). Name the authority's PEM file in network.caFile.`,
    );
  }
  if (code !== undefined && DEAD.has(code))
    return broken('network', `Nothing answers at ${address} (${detail}).`);
  return broken('timeout', `No answer from ${provider} (${detail}).`);
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link && chain.length < 8; link = (link as { cause?: unknown }).cause)
    chain.push(link);
  return chain;
}
