import { describe, expect, test } from 'vitest';
import { says } from '../../../test/support/model-server/script.ts';
import { scripted } from '../../../test/support/scripted.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { kindOf } from '../errors/http-errors.ts';
import { outputLimitIn, withOutputLimit } from './output-limit.ts';

const refusal = (message: string) =>
  new ProviderError(message, { kind: kindOf(400, message), provider: 'p' });
const request: CompletionRequest = { model: 'm', system: '', messages: [] };

async function ask(provider: Provider, asked = request): Promise<void> {
  for await (const _event of provider.stream(asked, new AbortController().signal));
}

describe('a server with a lower output limit', () => {
  test.each([
    [
      'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022',
      8192,
    ],
    [
      'max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.',
      16_384,
    ],
    [
      'max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model',
      16_384,
    ],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 8192],
    ['Range of max_tokens should be [1, 8192]', 8192],
    [
      'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.',
      9999,
    ],
    [
      'Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive).',
      8192,
    ],
    ['`max_completion_tokens` must be <= 32,768', 32_768],
  ])('%s', (message, limit) => {
    expect(outputLimitIn(refusal(message), 64_000)).toBe(limit);
  });

  test.each([
    'temperature must be at most 1',
    'Unsupported parameter: max_tokens is not supported with this model. Use max_completion_tokens instead.',
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    'max_tokens must be at least 1',
  ])('is not recognized in "%s"', (message) => {
    expect(outputLimitIn(refusal(message), 64_000)).toBeNull();
  });

  test('gets a retry with less, and the limit is remembered', async () => {
    const model = scripted(refusal('max_tokens: 32000 > 8192, which is the maximum'), says('a'), says('b'));
    const provider = withOutputLimit(model);
    await ask(provider, { ...request, maxTokens: 32_000 });
    await ask(provider);
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([32_000, 8192, 8192]);
  });

  test('is recognized even if no length was requested', async () => {
    const words = 'max_tokens: 32000 > 8192, which is the maximum';
    const model = scripted(refusal(words), refusal(words), says('a'));
    await ask(withOutputLimit(model));
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([undefined, 32_000, 8192]);
  });

  test('that rejects every limit is not retried forever', async () => {
    const words = 'max_tokens 900 800 700 600 500 400';
    const model = scripted(...Array.from({ length: 9 }, () => refusal(words)));
    await expect(ask(withOutputLimit(model))).rejects.toThrow(words);
    expect(model.requests).toHaveLength(4);
  });
});
