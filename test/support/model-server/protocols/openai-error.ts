import type { Json } from '../protocol.ts';
import type { ErrorWords } from '../script.ts';

const TYPES: Record<number, { type: string; code: string | null }> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  500: { type: 'server_error', code: null },
  503: { type: 'server_error', code: null },
};

/** The error body of both OpenAI protocols. */
export function openaiError(
  status: number,
  { type, message = `scripted failure ${status}` }: ErrorWords,
): Json {
  const known = TYPES[status] ?? { type: 'invalid_request_error', code: null };
  return { error: { message, type: type ?? known.type, param: null, code: known.code } };
}
