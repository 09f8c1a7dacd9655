import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { says } from '../../../test/support/model-server/script.ts';
import { scripted } from '../../../test/support/scripted.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import type { Quota } from '../../contract/quota.ts';
import { createLocalQuota } from '../../observability/spending/local-quota.ts';
import { createQuotas, type QuotasDeps } from './quotas.ts';

const request = (text = 'hi', model = 'claude-x'): CompletionRequest => ({
  model,
  system: '',
  messages: [{ role: 'user', content: [{ type: 'text', text }], timestamp: '' }],
});

async function ask(provider: Provider, asked = request(), signal = new AbortController().signal) {
  for await (const event of provider.stream(asked, signal)) if (event.type === 'stop') return event.reason;
  return null;
}

/** The clock advances only while code sleeps. */
async function clockwork(quotas: QuotasDeps['quotas']) {
  const { home } = await workspace();
  let now = 1_000_000;
  const slept: number[] = [];
  const notices: string[] = [];
  const local = createLocalQuota({
    folder: path.join(home, 'quota'),
    onTrouble: (text) => notices.push(text),
    now: () => now,
  });
  const taken: Parameters<Quota['take']>[] = [];
  const { limited } = createQuotas({
    quotas,
    quota: {
      take: (...asked) => {
        taken.push(asked);
        return local.take(...asked);
      },
    },
    notice: (level, text) => notices.push(`${level}: ${text}`),
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { limited, slept, notices, taken, pass };
}

describe('[U14] quotas', () => {
  test('without quotas the provider is returned unchanged', async () => {
    const { limited } = await clockwork({});
    const model = scripted();
    expect(limited(model, 'a')).toBe(model);
  });

  test('a call above the limit waits until it fits, and reports why', async () => {
    const { limited, slept, notices, pass } = await clockwork({ 'a/claude-*': { requestsPerMinute: 2 } });
    const model = scripted(says('1'), says('2'), says('3'));
    const provider = limited(model, 'a');
    await ask(provider);
    pass(20_000);
    await ask(provider);
    expect({ slept, notices }).toEqual({ slept: [], notices: [] });
    expect(await ask(provider)).toBe('end');
    expect({ slept, notices }).toEqual({
      slept: [40_000],
      notices: ['warn: Waiting 40s: the quota of 2 requests per minute for a/claude-* is used up.'],
    });
  });

  test('models that match no pattern never wait; all models of one pattern share its quota', async () => {
    const { limited, slept } = await clockwork({ 'a/x*': { requestsPerMinute: 1 } });
    const model = scripted(...Array.from({ length: 5 }, () => says('ok')));
    await ask(limited(model, 'a'), request('hi', 'x-1'));
    await ask(limited(model, 'b'), request('hi', 'x-1'));
    await ask(limited(model, 'a'), request('hi', 'y'));
    await ask(limited(model, 'a'), request('hi', '.x'));
    expect(slept).toEqual([]);
    await ask(limited(model, 'a'), request('hi', 'x-2'));
    expect(slept).toEqual([60_000]);
  });

  test('the tokens of an answer count for later calls', async () => {
    const { limited, slept, notices } = await clockwork({ '*': { tokensPerMinute: 2000 } });
    const long = says('long', { usage: { inputTokens: 10, outputTokens: 1990 } });
    const provider = limited(scripted(long, says('short')), 'a');
    await ask(provider);
    await ask(provider);
    expect(slept).toEqual([60_000]);
    expect(notices).toEqual(['warn: Waiting 60s: the quota of 2,000 tokens per minute for * is used up.']);
  });

  test('all of several quotas apply, and a call that waited is counted when it is sent', async () => {
    const { limited, slept, pass } = await clockwork({
      'a/*': { requestsPerMinute: 2 },
      '*': { requestsPerMinute: 1 },
    });
    const model = scripted(...Array.from({ length: 3 }, () => says('ok')));
    await ask(limited(model, 'b'));
    pass(30_000);
    await ask(limited(model, 'a'));
    // Sent half a minute after it was first counted: the window of a/* starts there.
    expect(slept).toEqual([30_000]);
    await ask(limited(model, 'a'));
    expect(slept).toEqual([30_000, 30_000, 30_000]);
  });

  test('every attempt counts as a request, and a failed one costs no output tokens', async () => {
    const { limited, taken } = await clockwork({ '*': { requestsPerMinute: 5 } });
    const failure = new ProviderError('busy', { kind: 'overloaded', provider: 'a' });
    await expect(ask(limited(scripted(failure), 'a'))).rejects.toBe(failure);
    expect(taken).toHaveLength(1);
  });

  test('an abort ends the wait, and the call is not sent', async () => {
    const waiting = new AbortController();
    const model = scripted(says('never'));
    const { limited } = createQuotas({
      quotas: { '*': { requestsPerMinute: 1 } },
      quota: { take: async () => 60_000 },
      notice: () => waiting.abort(new Error('stop')),
    });
    await expect(ask(limited(model, 'a'), request(), waiting.signal)).rejects.toThrow('stop');
    expect(model.requests).toEqual([]);
  });
});
