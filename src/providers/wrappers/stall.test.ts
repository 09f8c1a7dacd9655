import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';
import { withStallLimit } from './stall.ts';

const text: ProviderEvent = { type: 'text', text: 'hey' };
const stop: ProviderEvent = { type: 'stop', reason: 'end' };

/** Emits events, or waits for that many milliseconds; a wait ends early on abort. */
function paced(...steps: (ProviderEvent | number)[]) {
  const seen: { reason?: unknown; closed: boolean } = { closed: false };
  const provider: Provider = {
    name: 'p',
    countTokens: async () => 0,
    async *stream(_, signal) {
      signal.addEventListener('abort', () => {
        seen.reason = signal.reason;
      });
      try {
        for (const step of steps) {
          if (typeof step === 'number') await delay(step, undefined, { signal });
          else yield step;
        }
      } finally {
        seen.closed = true;
      }
    },
  };
  return { provider, seen };
}

const limits = { firstMs: 60, betweenMs: 60 };

describe('[N11] a stalled stream', () => {
  test('before its first event is a timeout, and the request is aborted', async () => {
    const { provider, seen } = paced(10_000, text);
    const { events, error } = await play(withStallLimit(provider, limits), hello());
    expect({ events, error }).toMatchObject({ events: [], error: { kind: 'timeout', provider: 'p' } });
    expect(seen.reason).toBe(error);
  });

  test('between events is `cut`', async () => {
    const { provider, seen } = paced(text, 10_000, stop);
    const { events, error } = await play(withStallLimit(provider, limits), hello());
    expect({ events, error }).toMatchObject({ events: [text], error: { kind: 'cut' } });
    expect(seen.reason).toBe(error);
  });

  test('after its stop has simply ended', async () => {
    const { provider } = paced(text, stop, 10_000);
    expect(await play(withStallLimit(provider, limits), hello())).toEqual({ events: [text, stop] });
  });

  test('is detected also after a consumer took longer than the limit', async () => {
    const { provider } = paced(text, text, 10_000, stop);
    const events: ProviderEvent[] = [];
    const run = async () => {
      const signal = new AbortController().signal;
      for await (const event of withStallLimit(provider, limits).stream(hello(), signal)) {
        events.push(event);
        await delay(2 * limits.betweenMs);
      }
    };
    await expect(run()).rejects.toMatchObject({ kind: 'cut' });
    expect(events).toEqual([text, text]);
  });

  test('for less than the limit, each time, is fine', async () => {
    const { provider, seen } = paced(20, text, 20, text, 20, text, 20, stop);
    const { events, error } = await play(withStallLimit(provider, { firstMs: 500, betweenMs: 500 }), hello());
    expect({ count: events.length, error, reason: seen.reason }).toEqual({
      count: 4,
      error: undefined,
      reason: undefined,
    });
  });

  test('is not confused with a slow consumer', async () => {
    const { provider } = paced(text, text, stop);
    const events: ProviderEvent[] = [];
    for await (const event of withStallLimit(provider, limits).stream(
      hello(),
      new AbortController().signal,
    )) {
      events.push(event);
      await delay(100);
    }
    expect(events).toEqual([text, text, stop]);
  });

  test('that the user aborts throws the user’s reason', async () => {
    const { provider, seen } = paced(10_000);
    const reason = new Error('enough');
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 20);
    await play(withStallLimit(provider, { firstMs: 5000, betweenMs: 5000 }), hello(), abort.signal);
    expect(seen.reason).toBe(reason);
  });

  test('a consumer that stops early closes the underlying stream', async () => {
    const { provider, seen } = paced(text, text, stop);
    for await (const _ of withStallLimit(provider, limits).stream(hello(), new AbortController().signal))
      break;
    expect(seen.closed).toBe(true);
  });
});
