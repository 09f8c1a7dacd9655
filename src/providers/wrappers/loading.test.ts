import { expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { withLoadingWait } from './loading.ts';

function failing(times: number, message: string, patienceMs = 30_000) {
  let asked = 0;
  const provider: Provider = {
    name: 'p',
    countTokens: async () => 1,
    async *stream() {
      if (asked++ < times)
        throw new ProviderError(message, { kind: 'overloaded', provider: 'p', status: 503 });
      yield { type: 'stop', reason: 'end' };
    },
  };
  return { provider: withLoadingWait(provider, { retryMs: 1, timeoutMs: patienceMs }), asked: () => asked };
}

test('waits for a server that is loading its model', async () => {
  const { provider, asked } = failing(3, 'Loading model');
  expect(await play(provider, hello())).toEqual({ events: [{ type: 'stop', reason: 'end' }] });
  expect(asked()).toBe(4);
});

test('gives up after a while, and does not wait for other errors', async () => {
  const forever = await play(failing(Number.POSITIVE_INFINITY, 'Loading model', 300).provider, hello());
  expect(forever.error).toMatchObject({ message: 'Loading model' });
  const other = failing(1, 'Server busy');
  expect((await play(other.provider, hello())).error).toMatchObject({ message: 'Server busy' });
  expect(other.asked()).toBe(1);
});

test('an abort ends the wait and throws its reason', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const { provider } = failing(Number.POSITIVE_INFINITY, 'Loading model');
  setTimeout(() => stop.abort(reason), 20);
  expect((await play(provider, hello(), stop.signal)).error).toBe(reason);
});
