import { describe, expect, test } from 'vitest';
import { hello, play } from '../../../test/support/loopback.ts';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { type FallbackModel, withFallback } from './fallback.ts';

const said = (text: string): ProviderEvent[] => [
  { type: 'text', text },
  { type: 'stop', reason: 'end' },
];
const failure = (kind: ProviderErrorKind) => new ProviderError(`It is ${kind}.`, { kind, provider: 'p' });

/** Plays one script per request; errors in it are thrown. */
function model(name: string, ...script: (ProviderEvent | Error)[][]) {
  const requests: CompletionRequest[] = [];
  const provider: Provider = {
    name,
    countTokens: async () => 1,
    async *stream(request) {
      const steps = script[requests.length] ?? said(name);
      requests.push(request);
      for (const step of steps) {
        if (step instanceof Error) throw step;
        yield step;
      }
    },
  };
  return { provider, requests };
}

function standIn(provider: Provider): FallbackModel {
  return { provider, model: 'other', maxOutputTokens: 100 };
}

describe('[V06] a fallback model', () => {
  test.each<ProviderErrorKind>(['overloaded', 'server_error', 'rate_limit', 'timeout', 'network', 'quota'])(
    'answers if the first model fails with %s, under its own name and within its own limit',
    async (kind) => {
      const first = model('first', [failure(kind)]);
      const second = model('second');
      const provider = withFallback(first.provider, { fallback: async () => standIn(second.provider) });

      const played = await play(provider, hello({ maxTokens: 5000 }));

      expect(played).toEqual({
        events: [{ type: 'model', provider: 'second', model: 'other' }, ...said('second')],
      });
      expect(second.requests).toEqual([hello({ model: 'other', maxTokens: 100 })]);
    },
  );

  test.each<ProviderErrorKind>(['auth', 'bad_request', 'overflow', 'protocol', 'model_not_found', 'cut'])(
    'is not used for %s: the user has to fix that',
    async (kind) => {
      const error = failure(kind);
      const first = model('first', [error]);
      const second = model('second');
      const provider = withFallback(first.provider, { fallback: async () => standIn(second.provider) });
      expect(await play(provider, hello())).toEqual({ events: [], error });
      expect(second.requests).toEqual([]);
    },
  );

  test('is not used once the first model has produced output', async () => {
    const error = failure('overloaded');
    const first = model('first', [{ type: 'text', text: 'half' }, error]);
    const provider = withFallback(first.provider, { fallback: async () => standIn(model('x').provider) });
    expect(await play(provider, hello())).toEqual({ events: [{ type: 'text', text: 'half' }], error });
  });

  test('keeps answering until five minutes after the failure', async () => {
    let clock = 0;
    const asked: string[] = [];
    const first = model('first', [failure('overloaded')]);
    const second = model('second');
    const provider = withFallback(first.provider, {
      fallback: async ({ message }) => {
        asked.push(message);
        return standIn(second.provider);
      },
      now: () => clock,
    });
    await play(provider, hello());
    clock = 299_999;
    await play(provider, hello());
    clock = 300_000;
    const { events } = await play(provider, hello());
    expect(events).toEqual(said('first'));
    expect({ first: first.requests.length, second: second.requests.length, asked }).toEqual({
      first: 2,
      second: 2,
      asked: ['It is overloaded.'],
    });
  });

  test('without one, the failure is passed on', async () => {
    const error = failure('overloaded');
    const provider = withFallback(model('first', [error]).provider, { fallback: async () => null });
    expect(await play(provider, hello())).toEqual({ events: [], error });
  });
});

test('a refusal names the fallback model, and is no failure', async () => {
  const refused: ProviderEvent = { type: 'stop', reason: 'refusal', refusal: { category: 'cyber' } };
  const fallback = async () => null;
  const provider = (offered?: string) =>
    withFallback(model('first', [refused]).provider, { fallback, offered });
  expect((await play(provider('acme/m'), hello())).events).toEqual([
    { ...refused, refusal: { category: 'cyber', fallbackModel: 'acme/m' } },
  ]);
  expect((await play(provider(), hello())).events).toEqual([refused]);
});
