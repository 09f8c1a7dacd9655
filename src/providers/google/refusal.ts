import * as z from 'zod';
import { ProviderError } from '../../contract/errors.ts';
import { parseJson } from '../../lib/text/json.ts';

const body = z.object({
  error: z.object({
    message: z.string(),
    details: z
      .array(
        z.looseObject({
          reason: z.string().optional(),
          retryDelay: z.string().optional(),
          violations: z.array(z.looseObject({ quotaId: z.string().optional() })).optional(),
        }),
      )
      .default([]),
  }),
});

/**
 * Two errors with a misleading HTTP status: a wrong key is a 400, and every limit, even one that lasts a
 * second, is called a quota. Undefined for all others.
 */
export function refusedByGoogle(status: number, text: string, provider: string): ProviderError | undefined {
  const parsed = body.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { message, details } = parsed.data.error;
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID') || /API key not valid/.test(message))
    return new ProviderError(message, { kind: 'auth', provider, status });

  const delay = details.map(({ retryDelay }) => Number.parseFloat(retryDelay ?? '')).find(Number.isFinite);
  const daily = details.some(({ violations = [] }) =>
    violations.some(({ quotaId = '' }) => quotaId.includes('PerDay')),
  );
  if (status !== 429 || delay === undefined || daily) return undefined;
  return new ProviderError(message, { kind: 'rate_limit', provider, status, retryAfterMs: delay * 1000 });
}
