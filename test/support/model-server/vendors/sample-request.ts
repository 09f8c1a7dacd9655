import { expect } from 'vitest';
import { defaults } from '../options.ts';
import type { Json } from '../protocol.ts';
import { judgeBy } from './judge.ts';
import type { Rule, VendorRequest } from './rule.ts';
import { SentReplies } from './sent-replies.ts';

/** A request as the rules see it, for their tests. */
export function sampleRequest(
  body: Json,
  { settled, ...request }: Partial<Omit<VendorRequest, 'settled'>> & { settled?: object } = {},
): VendorRequest {
  return {
    protocol: 'anthropic',
    body,
    headers: {},
    path: '/',
    model: String(body.model ?? ''),
    counting: false,
    sent: new SentReplies(),
    ...request,
    settled: { ...defaults, ...settled },
  };
}

/** What a vendor answers: nothing to object to, an error, or a worse answer than it could give. */
export type Verdict = string | RegExp | { status: number; text: RegExp } | { degraded: RegExp };

/** The verdict on a request that breaks no rule. */
export const ACCEPTED = 'accepted';

export function expectVerdict(rules: readonly Rule[], request: VendorRequest, verdict: Verdict): void {
  const { refusal, degradations } = judgeBy(rules, request);
  const details = degradations.map(({ detail }) => detail);
  if (verdict === ACCEPTED) {
    expect({ refusal, details }).toEqual({ refusal: undefined, details: [] });
  } else if (typeof verdict === 'object' && 'degraded' in verdict) {
    expect({ refusal, details }).toEqual({
      refusal: undefined,
      details: [expect.stringMatching(verdict.degraded)],
    });
  } else {
    const isStatus = typeof verdict === 'object' && 'status' in verdict;
    const { status, text } = isStatus ? verdict : { status: 400, text: verdict };
    const message = typeof text === 'string' ? text : expect.stringMatching(text);
    expect(refusal).toMatchObject({ status, message });
  }
}

/** The valid request with the change; undefined removes a field. */
export function changed(good: Json, change: Json): Json {
  return Object.fromEntries(
    Object.entries({ ...good, ...change }).filter(([, value]) => value !== undefined),
  );
}
