import { ProviderError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';
import { fieldsOf } from '../local/query-server.ts';
import type { ProviderOptions } from '../options.ts';
import { kindOf } from './http-errors.ts';
import { excerpt, redact } from './protocol-errors.ts';

/** The vendor's own message, wherever its error format keeps it. */
export function errorMessageIn(body: string): string | undefined {
  return messageIn(parseJson(body));
}

const MESSAGE_FIELDS = ['error', 'message', 'detail', 'msg', 'base_resp', 'status_msg'];

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (Array.isArray(value)) return messageIn(value[0]);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const said = MESSAGE_FIELDS.map((name) => messageIn(fields[name])).find(Boolean);
  // A router's own message only says that an upstream provider failed.
  const behind = messageIn((fields.metadata as Record<string, unknown> | undefined)?.raw);
  return said && behind ? `${said}: ${excerpt(behind)}` : said;
}

/** The error type or code in the server's response. */
export function labelIn(body: string): string {
  const fields = fieldsOf(parseJson(body));
  return [labelOf(fields), labelOf(fieldsOf(fields.error))].join(' ').trim();
}

function labelOf({ code, type, status, details }: Record<string, unknown>): string {
  const { error_code: detail } = fieldsOf(details);
  return [code, type, status, detail].filter((value) => value != null).join(' ');
}

/** platform.minimax.io/docs: codes in `base_resp`, which may come with any HTTP status, also 200. */
const BASE_STATUS: Readonly<Record<string, number>> = { 1002: 429, 1008: 402, 1013: 500, 2013: 400 };

/** The HTTP status that an error in `base_resp` stands for; undefined if there is none. */
export function baseStatus(body: unknown): number | undefined {
  const { status_code: code } = fieldsOf(fieldsOf(body).base_resp);
  return code === undefined || code === 0 ? undefined : (BASE_STATUS[String(code)] ?? 500);
}

/**
 * An error reported inside a stream that started with HTTP 200. `unknown` is the HTTP status to assume if the
 * error doesn't indicate its kind.
 */
export function fromStreamedError(
  error: unknown,
  options: ProviderOptions,
  { unknown = 400 }: { unknown?: 400 | 500 } = {},
): ProviderError {
  const fields = fieldsOf(error);
  const whole = redact(JSON.stringify(error) ?? String(error), options);
  const message = redact(messageIn(error) ?? excerpt(whole), options);
  const label = labelOf(fields);
  const status = baseStatus(error) ?? numericStatus(fields) ?? statusInText(`${label} ${message}`) ?? unknown;
  return new ProviderError(message, { kind: kindOf(status, message, label), provider: options.name });
}

function numericStatus({ code, status }: Record<string, unknown>): number | undefined {
  return [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
}

/** The HTTP status that such a message would normally have; the first match wins. */
const STATUS_WORDS: readonly [words: RegExp, status: number][] = [
  [/rate.?limit|too many requests|throttl|quota|resource.?exhausted/i, 429],
  [/overload|unavailable|capacity/i, 503],
  [/(server|api|internal|engine).?error|^internal\b/i, 500],
  [/try again/i, 503],
  [/timed? ?out|deadline.?exceeded/i, 408],
  [/invalid.{0,3}api.?key|unauthori[sz]ed|unauthenticated|authentication/i, 401],
  [/permission.?(denied|error)/i, 403],
  [/billing|payment.?required/i, 402],
  [/model.?not.?found|not_found/i, 404],
  [/invalid.?(request|argument)|bad.?request|request.?too.?large/i, 400],
];

function statusInText(words: string): number | undefined {
  return STATUS_WORDS.find(([pattern]) => pattern.test(words))?.[1];
}
