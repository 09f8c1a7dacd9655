import { expect, test } from 'vitest';
import { windowIn } from './overflow.ts';

test.each<[string, number | undefined]>([
  ['request (40009 tokens) exceeds the available context size (4096 tokens), try increasing it', 4096],
  ['the request exceeds the available context size, try increasing it', undefined],
  ['Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)', 7424],
  [
    'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    4096,
  ],
  [
    "This model's maximum context length is 32768 tokens. However, you requested 33000 tokens (29000 in the messages, 4000 in the completion).",
    32_768,
  ],
  [
    "'max_tokens' is too large: 8000. This model's maximum context length is 16384 tokens and your request has 9000 input tokens (8000 > 16384 - 9000).",
    16_384,
  ],
  ['The decoder prompt (length 40960) is longer than the maximum model length of 32768.', 32_768],
  ["The input (40000 tokens) is longer than the model's context length (32768 tokens).", 32_768],
  ["Input length (265330) exceeds model's maximum context length (262144).", 262_144],
  ['`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens', 4097],
  ['`inputs` must have less than 1024 tokens. Given: 1168', 1024],
  ['Prompt contains 65673 tokens, too large for model with 32768 maximum context length', 32_768],
  ['The prompt is too long: 140000, model maximum context length: 131,071', 131_071],
  ['prompt is too long: 213462 tokens > 200000 maximum', 200_000],
  ['input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease it', 200_000],
  ['Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output tokens)', 2048],
  ['Reached context length of 32000 tokens with model (arch: gpt-oss)', 32_000],
  ['prompt too long; exceeded max context length by 100918 tokens', undefined],
  ['the input length exceeds the context length', undefined],
  ['Context size has been exceeded.', undefined],
  ['413 Request Entity Too Large', undefined],
])('%s states %j', (words, window) => {
  expect(windowIn(words)).toBe(window);
});
