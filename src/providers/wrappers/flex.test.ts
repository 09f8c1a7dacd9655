import { expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { FLEX_PATIENCE_MS, withFlexPatience } from './flex.ts';

/** Refuses the first requests with this kind; time passes only while waiting. */
function busyFor(refusals: number, kind: ProviderErrorKind, retryAfterMs?: number) {
  let requests = 0;
  let time = 0;
  const waits: number[] = [];
  const provider: Provider = {
    name: 'p',
    async *stream() {
      if (++requests <= refusals)
        throw new ProviderError('Resource Unavailable', {
          kind,
          provider: 'p',
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        });
      yield { type: 'text', text: 'ok' };
      yield { type: 'stop', reason: 'end' };
    },
    countTokens: async () => 0,
  };
  const patient = withFlexPatience(provider, {
    now: () => time,
    sleep: async (ms) => {
      waits.push(ms);
      time += ms;
    },
  });
  return { patient, waits, requests: () => requests };
}

test('a request is repeated, ever more slowly, until there is capacity', async () => {
  const { patient, waits } = busyFor(6, 'rate_limit');
  const { events, error } = await play(patient, hello());
  expect(error).toBeUndefined();
  expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(6);
  expect(events.at(-1)).toEqual({ type: 'stop', reason: 'end' });
});

test('it waits as long as the vendor says', async () => {
  const { patient, waits } = busyFor(1, 'overloaded', 30_000);
  await play(patient, hello());
  expect(waits).toEqual([30_000]);
});

test('after a quarter of an hour the refusal is passed on', async () => {
  const { patient, waits } = busyFor(1_000, 'rate_limit');
  const { error } = await play(patient, hello());
  expect(error).toMatchObject({ kind: 'rate_limit' });
  const waited = waits.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeLessThanOrEqual(FLEX_PATIENCE_MS);
  expect(waited).toBeGreaterThan(FLEX_PATIENCE_MS - 60_000);
});

test.each<ProviderErrorKind>(['auth', 'bad_request', 'quota', 'server_error', 'network'])(
  'an error of the kind %s is passed on at once',
  async (kind) => {
    const { patient, requests } = busyFor(1, kind);
    expect((await play(patient, hello())).error).toMatchObject({ kind });
    expect(requests()).toBe(1);
  },
);
