import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { Usage } from '../../contract/message.ts';
import type { Provider } from '../../contract/provider.ts';
import type { Quota, QuotaLimits } from '../../contract/quota.ts';
import type { Pace, SharedBudget } from '../../contract/shared-budget.ts';
import { pause } from '../../lib/async/abort.ts';
import { counted } from '../../lib/text/counted.ts';
import { tokensOf } from '../../observability/spending/cost.ts';
import { createLocalQuota } from '../../observability/spending/local-quota.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { Parts } from '../parts.ts';

export type QuotasDeps = {
  quotas: Config['quotas'];
  quota: Quota;
  notice(level: 'info' | 'warn', text: string): void;
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
};

/** Delays a vendor's calls until the quotas allow them, those of the batch included. */
export type Quotas = { limited(provider: Provider, vendor: string): Provider };

/** Shorter waits are not reported. */
const NOTICE_MS = 1000;
const MINUTE_MS = 60_000;
const TOO_MANY: ReadonlySet<ProviderErrorKind> = new Set(['rate_limit', 'overloaded']);
/** Counted, but never waited for. */
const UNLIMITED: QuotaLimits = {
  requestsPerMinute: Number.MAX_SAFE_INTEGER,
  tokensPerMinute: Number.MAX_SAFE_INTEGER,
};

type Row = { pattern: string; limits: QuotaLimits; match: RegExp };

export function createQuotas(deps: QuotasDeps): Quotas {
  const { quota } = deps;
  const rows = Object.entries(deps.quotas).map(([pattern, limits]) => ({
    pattern,
    limits,
    match: matcherOf(pattern),
  }));

  /** Resolves when all quotas admit the call; throws if the signal is aborted. */
  async function takeAll(binding: readonly Row[], tokens: number, signal: AbortSignal): Promise<void> {
    const cost = { requests: 1, tokens };
    const since = performance.now();
    const counted: Row[] = [];
    for (const row of binding) {
      const waited = await takeOne(row, cost, signal);
      // Counts from that long ago have expired.
      if (performance.now() - since >= MINUTE_MS) return takeAll(binding, tokens, signal);
      // The call is sent only now: counted only before the wait, it would expire too early.
      if (waited)
        for (const { pattern } of counted) await quota.take(pattern, { cost, limits: UNLIMITED }, signal);
      counted.push(row);
    }
  }

  async function takeOne(row: Row, cost: { requests: number; tokens: number }, signal: AbortSignal) {
    for (let waited = false, notified = false; ; waited = true) {
      const waitMs = await quota.take(row.pattern, { cost, limits: row.limits }, signal);
      if (waitMs === 0) return waited;
      if (!notified && waitMs >= NOTICE_MS) {
        deps.notice('warn', waitWords(waitMs, row));
        notified = true;
      }
      await (deps.sleep ?? pause)(waitMs, signal);
    }
  }

  return {
    limited(provider, vendor) {
      if (rows.length === 0) return provider;
      return {
        ...provider,
        async *stream(request, signal) {
          const binding = rows.filter(({ match }) => match.test(`${vendor}/${request.model}`));
          const estimate = binding.length === 0 ? 0 : estimateTokens(request);
          await takeAll(binding, estimate, signal);
          let usage: Usage | undefined;
          try {
            for await (const event of provider.stream(request, signal)) {
              if (event.type === 'usage') usage = event.usage;
              yield event;
            }
          } finally {
            // The tokens of the answer are known only now; later calls wait for them.
            const tokens = usage ? tokensOf(usage) - estimate : 0;
            const after = { cost: { requests: 0, tokens }, limits: UNLIMITED };
            const { signal: never } = new AbortController();
            if (tokens > 0) for (const { pattern } of binding) await quota.take(pattern, after, never);
          }
        },
      };
    },
  };
}

/** From the settings. Nothing is read or created before a call that matches one. */
export function quotasOf(
  {
    config,
    dataRoot,
    quota,
    shared,
  }: Pick<Parts, 'config' | 'dataRoot' | 'quota'> & { shared?: SharedBudget },
  notice: QuotasDeps['notice'],
): Quotas['limited'] {
  const folder = path.join(dataRoot, 'quota');
  const local = () => createLocalQuota({ folder, onTrouble: (text) => notice('warn', text) });
  const own = createQuotas({ quotas: config.quotas, quota: quota ?? local(), notice }).limited;
  if (!shared) return own;
  const { limited } = createQuotas({ quotas: shared.quotas, quota: shared.quota, notice });
  return (provider, vendor) => own(limited(paced(provider, { vendor, pace: shared.pace }), vendor), vendor);
}

/** After a vendor rejected a call, everybody who shares the budget slows down. */
function paced(provider: Provider, { vendor, pace }: { vendor: string; pace: Pace }): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      for (let waitMs = await pace.next(vendor); waitMs > 0; waitMs = await pace.next(vendor))
        await pause(waitMs, signal);
      try {
        yield* provider.stream(request, signal);
        await pace.report(vendor, { rejected: false });
      } catch (error) {
        if (error instanceof ProviderError && TOO_MANY.has(error.kind))
          await pace.report(vendor, { rejected: true, retryAfterMs: error.retryAfterMs });
        throw error;
      }
    },
  };
}

/** `*` matches any characters, including none. */
function matcherOf(pattern: string): RegExp {
  const literal = pattern.split('*').map((text) => text.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}

function waitWords(waitMs: number, { pattern, limits }: Row): string {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const amounts = [
    ...(requestsPerMinute === undefined ? [] : [counted(requestsPerMinute, 'request')]),
    ...(tokensPerMinute === undefined ? [] : [counted(tokensPerMinute, 'token')]),
  ];
  const seconds = Math.ceil(waitMs / 1000);
  return `Waiting ${seconds}s: the quota of ${amounts.join(' and ')} per minute for ${pattern} is used up.`;
}
