import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { fails, loopback, modelInfo } from '../../../test/support/loopback.ts';
import { watchWire } from '../http/wire-watch.ts';
import { kindOf } from './http-errors.ts';
import { fromStreamedError } from './vendor-errors.ts';

/** Real responses of vendors and servers to a request that exceeds the context window. */
const overflows: readonly [who: string, words: string][] = [
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum'],
  [
    'Anthropic',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ],
  ['Anthropic', 'Request exceeds the maximum size'],
  [
    'Anthropic',
    'request_too_large: Request exceeds the maximum allowed number of bytes. The maximum request size is 32 MB.',
  ],
  ['Anthropic, long context', 'This request would exceed the maximum context length: 1000000 tokens'],
  [
    'OpenAI Chat',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.",
  ],
  [
    'OpenAI Chat',
    "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (5100 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
  ],
  [
    'OpenAI Chat',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens (8900 in the messages, 100 in the functions). Please reduce the length of the messages or functions.",
  ],
  [
    'OpenAI Responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  [
    'OpenAI',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300112 tokens. Please reduce the length of the messages.',
  ],
  ['OpenAI', 'context_length_exceeded'],
  [
    'OpenAI',
    'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.',
  ],
  [
    'OpenAI',
    "Invalid 'input': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead. The context window is exceeded.",
  ],
  [
    'Azure',
    "This model's maximum context length is 16385 tokens, however you requested 17000 tokens (16000 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
  ],
  ['Azure', 'The input exceeds the maximum allowed context length for this deployment.'],
  ['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
  ['Gemini', 'The input token count exceeds the maximum number of tokens allowed 1048576.'],
  [
    'Vertex',
    'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576. Reduce the input token count and try again.',
  ],
  ['Vertex', "Request contains an invalid argument: Prompt is too long. Exceeds the model's context window."],
  [
    'Mistral',
    'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  ],
  ['Mistral', 'Too many tokens in prompt: 40000, the maximum context length is 32768'],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  [
    'Groq',
    'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
  ],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
  ],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 215000 tokens (183000 of text input, 32000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  ],
  [
    'OpenRouter',
    'Provider returned error: Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
  ],
  ['Together', "The input (516368 tokens) is longer than the model's context length (262144 tokens)."],
  [
    'Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
  ],
  ['Fireworks', 'The prompt is too long: 140000, model maximum context length: 131071'],
  ['Bedrock', 'Input is too long for requested model.'],
  [
    'Bedrock',
    'ValidationException: Too many input tokens. Max input tokens: 8192, request input token count: 9120',
  ],
  [
    'Bedrock',
    'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  ],
  ['Bedrock', "This model's maximum context length is 131072 tokens. Please reduce the length of the prompt"],
  ['Bedrock', 'invalid_prompt: prompt tokens (330095) exceed model maximum (278528) for base model abc'],
  [
    'Cohere',
    'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 140233. Try using a shorter prompt, or enabling prompt truncating.',
  ],
  [
    'Cohere',
    'too many tokens: size limit exceeded by 8534 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.',
  ],
  [
    'vLLM',
    "This model's maximum context length is 32768 tokens. However, you requested 33000 tokens (29000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
  ],
  [
    'vLLM',
    "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=262145)",
  ],
  [
    'vLLM',
    'The decoder prompt (length 40960) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
  ],
  [
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 16384 tokens and your request has 9000 input tokens (8000 > 16384 - 9000).",
  ],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  ['llama.cpp', 'request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it'],
  ['llama.cpp', 'exceed_context_size_error'],
  [
    'llama.cpp',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
  ],
  ['llama.cpp', 'Context size has been exceeded.'],
  [
    'llama.cpp',
    'input is too large to process. increase the physical batch size; the context size is exceeded',
  ],
  ['Ollama', 'prompt too long; exceeded max context length by 100918 tokens'],
  ['Ollama', 'the input length exceeds the context length'],
  ['Ollama', 'input length exceeds maximum context length'],
  [
    'LM Studio',
    'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
  ],
  [
    'LM Studio',
    'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
  ],
  ['LM Studio', 'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)'],
  [
    'LM Studio',
    'Reached context length of 32000 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat.',
  ],
  ['TGI', 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1168'],
  [
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 40000 `inputs` tokens and 500 `max_new_tokens`',
  ],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
  ],
  ['SGLang', "The input (40000 tokens) is longer than the model's context length (32768 tokens)."],
  ['SGLang', "Input length (265330) exceeds model's maximum context length (262144)."],
  [
    'LiteLLM',
    'litellm.ContextWindowExceededError: AnthropicError - prompt is too long: 209353 tokens > 199999 maximum',
  ],
  [
    'LiteLLM',
    "litellm.ServiceUnavailableError: litellm.MidStreamFallbackError: OpenAIException - Requested token count exceeds the model's maximum context length of 131072 tokens.",
  ],
  ['GitHub Copilot', 'prompt token count of 140233 exceeds the limit of 128000'],
  [
    'GitHub Models',
    'Request body too large for gpt-4o model. Max size: 8000 tokens. tokens_limit_reached: reduce the length of the messages',
  ],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)'],
  ['Z.ai', 'model_context_window_exceeded'],
  ['Z.ai', 'Prompt exceeds max length. The context window is full, reduce the length of the input.'],
  [
    'Qwen',
    'Range of input length should be [1, 129024]: the input length exceeds the maximum context length',
  ],
  ['Qwen', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]'],
  ['Perplexity', 'The total length of all messages is too long.'],
  ['Replicate', 'Your input is too long. Max input length is 4096 tokens, but you supplied 5441 tokens.'],
  [
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 70000 while limit is 65536',
  ],
  [
    'Nvidia',
    "The model's context length is only 131072 tokens, resulting in a maximum input length of 131072 tokens",
  ],
  ['Writer', 'Tokens in request more than max tokens allowed: 140000 > 131072'],
  ['Atlas', 'Prompt too long: 5152 tokens exceeds max_seq_len 2048 (leave room for output tokens)'],
  ['a proxy', '413 Request Entity Too Large'],
  ['a proxy', 'Payload Too Large'],
];

/** Other errors with similar wording that need different handling. */
const others: readonly string[] = [
  'Rate limit reached for model `llama-3.1-8b-instant` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.',
  'ThrottlingException: Too many tokens, please wait before trying again.',
  'Too many requests. Please slow down.',
  'Rate limit exceeded: too many tokens per minute',
  'You exceeded your current quota, please check your plan and billing details.',
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku',
  'max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model',
  'Invalid value for max_tokens: must be at least 1',
  'The model `gpt-9` does not exist',
  'tools.0.custom.input_schema: JSON schema is invalid',
  'Invalid API key',
  'messages: roles must alternate between "user" and "assistant"',
  'model runner crashed unexpectedly',
  'The service is temporarily unavailable.',
  'image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes',
  'tool_use ids were found without tool_result blocks immediately after',
  'Unsupported parameter: max_tokens is not supported with this model. Use max_completion_tokens instead.',
  'temperature is deprecated for this model',
  'context deadline exceeded',
  'request canceled: context canceled',
];

describe('a request that exceeds the context window', () => {
  const statuses = [400, 413, 422, 429, 500, 502, 503, 529];
  test.each(overflows)('%s: %s', (_who, words) => {
    const large = /request too large for/i.test(words);
    for (const status of statuses)
      if (status !== 429 || large)
        expect({ status, kind: kindOf(status, words) }).toEqual({ status, kind: 'overflow' });
  });

  test.each(overflows)('in the middle of a stream, %s: %s', (_who, words) => {
    const options = { name: 'p', baseUrl: 'http://x.test' } as Parameters<typeof fromStreamedError>[1];
    for (const error of [
      { message: words },
      { message: words, type: 'server_error' },
      { message: words, code: 400 },
      { error: { message: words } },
      words,
    ])
      expect(fromStreamedError(error, options)).toMatchObject({ kind: 'overflow' });
  });

  test('the error code is enough if the message is unclear', async () => {
    const bodies = [
      { error: { message: 'Bad Request', code: 'context_length_exceeded' } },
      { error: { message: 'Something went wrong', type: 'exceed_context_size_error', n_ctx: 8192 } },
      { type: 'error', error: { type: 'request_too_large', message: 'No.' } },
    ];
    for (const body of bodies) {
      const server = await loopback((response) => fails(response, 400, { body }));
      const watch = watchWire({ name: 'p', baseUrl: server.url, infoOf: () => modelInfo() });
      const { signal } = new AbortController();
      await expect(watch.post(server.url, { headers: {}, body: {}, signal })).rejects.toMatchObject({
        kind: 'overflow',
      });
    }
  });
});

describe('other errors with similar wording', () => {
  test.each(others)('%s', (words) => {
    for (const status of [400, 422, 429, 500, 503]) expect(kindOf(status, words)).not.toBe('overflow');
  });

  test('a request larger than the per-minute limit is not retried', () => {
    const words = 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389.';
    expect(kindOf(429, words)).toBe('overflow');
  });

  test('any message is classified in linear time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...overflows.map(([, words]) => words)), fc.nat(200), (words, times) => {
        const began = cpuMs();
        kindOf(400, `${words.slice(0, -3)} `.repeat(times));
        return cpuMs() - began < 2000;
      }),
    );
  });
});
