import { describe, expect, test } from 'vitest';
import { ProviderError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';
import { infoOf } from '../../providers/models/models.ts';
import { presets } from '../../providers/presets.ts';
import type { Choice } from './choose-model.ts';
import { observed } from './observed.ts';

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };

async function tellsOf(
  stream: () => AsyncGenerator<ProviderEvent>,
  { takes = Number.POSITIVE_INFINITY, signal = new AbortController().signal } = {},
): Promise<AgentEvent[]> {
  const [preset] = presets;
  if (!preset) throw new Error('There is no preset.');
  const info = { ...infoOf('anthropic', 'm'), contextWindow: 1000 };
  const choice: Choice = { preset, baseUrl: '', model: 'm', info, key: null };
  const provider: Provider = { name: 'anthropic', stream, countTokens: async () => 0 };
  const told: AgentEvent[] = [];
  const emit = (event: AgentEvent) => void told.push(event);
  const watched = observed(provider, { choice, purpose: 'helper', emit });
  let taken = 0;
  try {
    for await (const _ of watched.stream({ model: 'm', system: '', messages: [] }, signal))
      if (++taken >= takes) break;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('expected')) throw error;
  }
  return told.map((event) => ({ ...event, durationMs: 0 }) as AgentEvent);
}

const over = {
  type: 'model_call',
  provider: 'anthropic',
  model: 'm',
  purpose: 'helper',
  durationMs: 0,
  contextWindow: 1000,
};

describe('each request is reported once, when it is over', () => {
  test('if successful', async () => {
    const told = await tellsOf(async function* () {
      yield { type: 'text', text: 'hi' };
      yield { type: 'usage', usage };
      yield { type: 'stop', reason: 'end' };
    });
    expect(told).toEqual([{ ...over, usage, stop: 'end' }]);
  });

  test('if cut by the vendor', async () => {
    const told = await tellsOf(async function* () {
      yield { type: 'text', text: 'hi' };
    });
    expect(told).toEqual([{ ...over, stop: 'cut' }]);
  });

  test('if failed, with or without a kind', async () => {
    const failing = (error: Error) =>
      tellsOf(async function* () {
        yield { type: 'usage', usage };
        throw error;
      });
    const known = new ProviderError('expected', { kind: 'overloaded', provider: 'p' });
    expect(await failing(known)).toEqual([{ ...over, usage, error: 'overloaded' }]);
    expect(await failing(new Error('expected'))).toEqual([{ ...over, usage, error: 'unknown' }]);
  });

  test('if aborted, which is not a failure', async () => {
    const stop = new AbortController();
    const told = await tellsOf(
      async function* () {
        yield { type: 'text', text: 'hi' };
        stop.abort();
        throw new ProviderError('expected', { kind: 'network', provider: 'p' });
      },
      { signal: stop.signal },
    );
    expect(told).toEqual([{ ...over, stop: 'aborted' }]);
  });

  test('if the consumer stops reading', async () => {
    const told = await tellsOf(
      async function* () {
        yield { type: 'text', text: 'hi' };
        yield { type: 'stop', reason: 'end' };
      },
      { takes: 1 },
    );
    expect(told).toEqual([{ ...over, stop: 'aborted' }]);
  });
});
