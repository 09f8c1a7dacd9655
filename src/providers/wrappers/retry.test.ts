import { describe, expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import { noUsage } from '../../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { continueAfter, withRetry } from './retry.ts';

const text: ProviderEvent = { type: 'text', text: 'hey' };
const stop: ProviderEvent = { type: 'stop', reason: 'end' };

function failure(kind: ProviderErrorKind, retryAfterMs?: number) {
  return new ProviderError(`It is ${kind}.`, {
    kind,
    provider: 'p',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Plays one script per attempt; errors in it are thrown. */
function scripted(...attempts: (ProviderEvent | Error)[][]) {
  const seen = { attempts: 0, requests: [] as CompletionRequest[] };
  const provider: Provider = {
    name: 'p',
    countTokens: async () => 7,
    async *stream(request) {
      seen.requests.push(request);
      for (const step of attempts[seen.attempts++] ?? []) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  return { provider, seen };
}

function waits() {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  return { slept, sleep };
}

describe('[V06][Y21] retry', () => {
  test('three retries after 1, 2 and 4 seconds, each announced, then the error', async () => {
    const error = failure('overloaded');
    const { provider, seen } = scripted([error], [error], [error], [error], [text, stop]);
    const { slept, sleep } = waits();

    const played = await play(withRetry(provider, { sleep, random: () => 0 }), hello());

    const retry = { type: 'retry', kind: 'overloaded', message: 'It is overloaded.' };
    expect(played).toEqual({
      events: [
        { ...retry, attempt: 1, delayMs: 1000 },
        { ...retry, attempt: 2, delayMs: 2000 },
        { ...retry, attempt: 3, delayMs: 4000 },
      ],
      error,
    });
    expect(slept).toEqual([1000, 2000, 4000]);
    expect(seen.attempts).toBe(4);
  });

  test('delays are capped at ten seconds, jitter included', async () => {
    const { provider } = scripted(...Array.from({ length: 7 }, () => [failure('timeout')]));
    const { slept, sleep } = waits();
    await play(withRetry(provider, { sleep, random: () => 1, maxRetries: 6 }), hello());
    expect(slept).toEqual([1100, 2200, 4400, 8800, 10_000, 10_000]);
  });

  test('usage events are not output: a failure after them is still retried', async () => {
    const usage: ProviderEvent = { type: 'usage', usage: noUsage };
    const { provider } = scripted([usage, failure('overloaded')], [usage, text, stop]);
    const { sleep } = waits();
    const { events, error } = await play(withRetry(provider, { sleep }), hello());
    expect(error).toBeUndefined();
    expect(events.map((event) => event.type)).toEqual(['usage', 'retry', 'usage', 'text', 'stop']);
  });

  test('success after a retry continues normally', async () => {
    const { provider } = scripted([failure('rate_limit')], [text, stop]);
    const { sleep } = waits();
    const { events, error } = await play(withRetry(provider, { sleep }), hello());
    expect(error).toBeUndefined();
    expect(events.slice(1)).toEqual([text, stop]);
  });

  test.each<ProviderErrorKind>([
    'auth',
    'quota',
    'network',
    'cut',
    'protocol',
    'overflow',
    'model_not_found',
    'bad_request',
  ])('%s is not retried', async (kind) => {
    const error = failure(kind);
    const { provider, seen } = scripted([error], [text, stop]);
    expect(await play(withRetry(provider), hello())).toEqual({ events: [], error });
    expect(seen.attempts).toBe(1);
  });

  test.each<ProviderErrorKind>(['cut', 'overloaded', 'server_error', 'timeout'])(
    'an answer interrupted after text (%s) ends with the error: the conversation asks for the rest',
    async (kind) => {
      const error = failure(kind);
      const { provider, seen } = scripted([text, error], [text, stop]);
      const { sleep } = waits();
      expect((await play(withRetry(provider, { sleep }), hello())).error).toBe(error);
      expect(seen.attempts).toBe(1);
      expect(continueAfter(error, 1)).toBeGreaterThanOrEqual(1000);
      expect(continueAfter(error, 4)).toBeUndefined();
    },
  );

  test('background work starts over after text', async () => {
    const { provider, seen } = scripted([text, failure('cut')], [text, stop]);
    const { sleep } = waits();
    const { events, error } = await play(withRetry(provider, { sleep, restarts: true }), hello());
    expect(error).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['text', 'retry', 'text', 'stop']);
    expect(seen.requests).toEqual([hello(), hello()]);
  });

  test('an error that no retry helps against is not continued after', () => {
    expect(continueAfter(failure('auth'), 1)).toBeUndefined();
    expect(continueAfter(new TypeError('bug'), 1)).toBeUndefined();
  });

  test('thinking and calls alone are not continued: the same request is sent again', async () => {
    const thought: ProviderEvent = { type: 'thinking', text: 'hm' };
    const { provider, seen } = scripted([thought, failure('cut')], [text, stop]);
    const { sleep } = waits();
    const request = hello();
    await play(withRetry(provider, { sleep }), request);
    expect(seen.requests).toEqual([request, request]);
  });

  test('text reclassified as thinking is not sent back as partial output', async () => {
    const asThought: ProviderEvent = { type: 'reclassify', as: 'thinking' };
    const { provider, seen } = scripted([text, asThought, failure('cut')], [text, stop]);
    const { sleep } = waits();
    const request = hello();
    await play(withRetry(provider, { sleep }), request);
    expect(seen.requests).toEqual([request, request]);
  });

  test('a bug is not retried', async () => {
    const error = new TypeError('bug');
    const { provider } = scripted([error], [stop]);
    expect(await play(withRetry(provider), hello())).toEqual({ events: [], error });
  });

  test('the vendor’s retry delay is respected, and never shortened', async () => {
    const { provider } = scripted([failure('rate_limit', 30_000)], [failure('rate_limit', 5)], [stop]);
    const { slept, sleep } = waits();
    await play(withRetry(provider, { sleep, random: () => 0 }), hello());
    expect(slept).toEqual([30_000, 2000]);
  });

  test('a delay above the maximum is not waited for; the error says when to retry', async () => {
    const { provider, seen } = scripted([failure('rate_limit', 600_000)], [stop]);
    const { events, error } = await play(withRetry(provider), hello());
    expect(events).toEqual([]);
    expect(error).toMatchObject({
      kind: 'rate_limit',
      message: 'It is rate_limit. p says to retry in 10 minutes.',
      retryAfterMs: 600_000,
    });
    expect(seen.attempts).toBe(1);
  });

  test('an abort during the wait ends it at once', async () => {
    const { provider, seen } = scripted([failure('overloaded')], [stop]);
    const reason = new Error('enough');
    const abort = new AbortController();
    setTimeout(() => abort.abort(reason), 20);
    const { error } = await play(withRetry(provider), hello(), abort.signal);
    expect(error).toBe(reason);
    expect(seen.attempts).toBe(1);
  });

  test('other members of the provider are unchanged', async () => {
    const { provider } = scripted();
    const wrapped = withRetry(provider);
    expect(wrapped.name).toBe('p');
    expect(await wrapped.countTokens(hello(), new AbortController().signal)).toBe(7);
  });
});
