import { expect, test } from 'vitest';
import { hello, loopback, modelInfo, play } from '../../../test/support/loopback.ts';
import { wires } from '../../../test/support/wires.ts';
import type { ProviderErrorKind } from '../../contract/errors.ts';

type Frame = Record<string, unknown>;
type Row = [who: string, wire: string, frame: Frame, kind: ProviderErrorKind];

const anthropic = (type: string, message: string): Frame => ({ type: 'error', error: { type, message } });
const chat = (error: unknown): Frame => ({ error });
const failed = (code: string, message: string): Frame => ({
  type: 'response.failed',
  response: { error: { code, message } },
});
const base = (status_code: number, status_msg: string): Frame => ({ base_resp: { status_code, status_msg } });
const google = (code: number, status: string, message: string): Frame => ({
  error: { code, status, message },
});

/** Real errors of vendors and servers inside streams that started with HTTP 200. */
const rows: Row[] = [
  ['Anthropic', 'anthropic', anthropic('overloaded_error', 'Overloaded'), 'overloaded'],
  ['Anthropic', 'anthropic', anthropic('api_error', 'Internal server error'), 'server_error'],
  ['Anthropic', 'anthropic', anthropic('timeout_error', 'Request timed out'), 'timeout'],
  ['Anthropic', 'anthropic', anthropic('rate_limit_error', 'Slow down'), 'rate_limit'],
  ['Anthropic', 'anthropic', anthropic('permission_error', 'Not yours'), 'auth'],
  ['Anthropic', 'anthropic', anthropic('billing_error', 'Pay first'), 'quota'],
  ['Anthropic', 'anthropic', anthropic('not_found_error', 'model: claude-9'), 'model_not_found'],
  ['Anthropic', 'anthropic', anthropic('invalid_request_error', 'Bad tool'), 'bad_request'],
  ['Anthropic', 'anthropic', anthropic('invalid_request_error', 'prompt is too long: 9 > 8'), 'overflow'],
  ['Anthropic', 'anthropic', anthropic('api_error', 'prompt is too long: 9 > 8'), 'overflow'],
  ['Anthropic, a kind to come', 'anthropic', anthropic('new_fault', 'So sorry'), 'server_error'],

  [
    'OpenAI',
    'openai-chat',
    chat({
      type: 'server_error',
      code: null,
      message: 'The server had an error while processing your request.',
    }),
    'server_error',
  ],
  [
    'OpenAI',
    'openai-chat',
    chat({ type: 'requests', code: 'rate_limit_exceeded', message: 'Wait' }),
    'rate_limit',
  ],
  ['OpenAI', 'openai-chat', chat({ code: 'insufficient_quota', message: 'Check your plan' }), 'quota'],
  [
    'OpenAI, by words',
    'openai-chat',
    chat({ message: 'Internal server error, try again later' }),
    'server_error',
  ],
  ['OpenAI, by words', 'openai-chat', chat({ message: 'That model is currently overloaded' }), 'overloaded'],
  ['OpenRouter', 'openai-chat', chat({ code: 502, message: 'Provider returned error' }), 'server_error'],
  [
    'OpenRouter',
    'openai-chat',
    chat({ code: 'server_error', message: 'Provider disconnected' }),
    'server_error',
  ],
  ['OpenRouter', 'openai-chat', chat({ code: 503, message: 'No provider' }), 'overloaded'],
  [
    'OpenRouter',
    'openai-chat',
    chat({ code: 500, message: "This endpoint's maximum context length is 8192 tokens" }),
    'overflow',
  ],
  [
    'Azure',
    'openai-chat',
    chat({ code: 'InternalServerError', message: 'An error occurred' }),
    'server_error',
  ],
  ['Groq', 'openai-chat', chat({ type: 'internal_server_error', message: 'Failed' }), 'server_error'],
  ['DeepSeek', 'openai-chat', chat({ type: 'service_unavailable', message: 'Busy' }), 'overloaded'],
  [
    'llama.cpp',
    'openai-chat',
    chat({ code: 500, type: 'server_error', message: 'Decode failed' }),
    'server_error',
  ],
  [
    'llama.cpp',
    'openai-chat',
    chat({ code: 500, type: 'server_error', message: 'Context size has been exceeded.' }),
    'overflow',
  ],
  [
    'llama.cpp',
    'openai-chat',
    chat({ code: 400, type: 'exceed_context_size_error', message: 'No.', n_ctx: 4096 }),
    'overflow',
  ],
  [
    'vLLM',
    'openai-chat',
    chat({ object: 'error', type: 'InternalServerError', code: 500, message: 'EngineCore died' }),
    'server_error',
  ],
  [
    'vLLM, the error in the place of a frame',
    'openai-chat',
    {
      object: 'error',
      type: 'BadRequestError',
      code: 400,
      message: "This model's maximum context length is 8",
    },
    'overflow',
  ],
  [
    'SGLang, the same',
    'openai-chat',
    { object: 'error', type: 'InternalServerError', code: 500, message: 'Scheduler hit an exception' },
    'server_error',
  ],
  ['LM Studio', 'openai-chat', chat({ message: 'The model has crashed: internal error' }), 'server_error'],
  [
    'LM Studio',
    'openai-chat',
    chat('Reached context length of 4096 tokens; mid-generation context overflow is not supported'),
    'overflow',
  ],
  [
    'TGI',
    'openai-chat',
    {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096',
      error_type: 'validation',
    },
    'overflow',
  ],
  ['TGI', 'openai-chat', { error: 'Model is overloaded', error_type: 'overloaded' }, 'overloaded'],
  ...['anthropic', 'openai-chat'].flatMap((wire): Row[] => [
    ['MiniMax', wire, base(1002, 'rate limit'), 'rate_limit'],
    ['MiniMax', wire, base(1008, 'insufficient balance'), 'quota'],
    ['MiniMax', wire, base(1013, 'internal service error'), 'server_error'],
    ['MiniMax', wire, base(2013, 'invalid params'), 'bad_request'],
  ]),
  ['nobody known', 'openai-chat', chat({ message: 'no idea' }), 'bad_request'],

  ['OpenAI', 'openai-responses', failed('server_error', 'An error occurred'), 'server_error'],
  ['OpenAI', 'openai-responses', failed('rate_limit_exceeded', 'Wait'), 'rate_limit'],
  ['OpenAI', 'openai-responses', failed('context_length_exceeded', 'No.'), 'overflow'],
  ['OpenAI', 'openai-responses', failed('server_error', 'Your input exceeds the context window'), 'overflow'],
  ['OpenAI', 'openai-responses', { type: 'error', code: 'server_error', message: 'Oops' }, 'server_error'],
  [
    'OpenAI',
    'openai-responses',
    { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'Oops' } },
    'server_error',
  ],

  ['Google', 'google', google(500, 'INTERNAL', 'An internal error has occurred.'), 'server_error'],
  ['Google', 'google', google(503, 'UNAVAILABLE', 'The model is overloaded.'), 'overloaded'],
  ['Google', 'google', google(504, 'DEADLINE_EXCEEDED', 'Deadline expired'), 'server_error'],
  ['Google', 'google', google(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted, per minute'), 'rate_limit'],
  [
    'Google',
    'google',
    google(400, 'INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum'),
    'overflow',
  ],
  ['Google, without a code', 'google', { error: { status: 'INTERNAL', message: 'Oops' } }, 'server_error'],

  ['Ollama', 'ollama', { error: 'an error was encountered while running the model: EOF' }, 'server_error'],
  ['Ollama', 'ollama', { error: 'llama runner process has terminated: exit status 2' }, 'server_error'],
  [
    'Ollama',
    'ollama',
    { error: 'server busy, please try again. maximum pending requests exceeded' },
    'overloaded',
  ],
  ['Ollama', 'ollama', { error: 'the input length exceeds the context length' }, 'overflow'],
  ['Ollama', 'ollama', { error: 'model requires more system memory than is available' }, 'bad_request'],
];

test.each(rows)('[N11] %s: an error over %s such as %j is %s', async (_who, name, frame, kind) => {
  const wire = wires[name];
  if (!wire) throw new Error(`no wire ${name}`);
  for (const before of [[], wire.says('half')]) {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': wire.type }).end(wire.body([...before, frame]));
    });
    const provider = wire.create({ name, baseUrl: server.url, infoOf: () => modelInfo() });
    const { error } = await play(provider, hello());
    expect(error).toMatchObject({ name: 'ProviderError', kind });
  }
});

test.each([
  [1002, 'rate_limit'],
  [1008, 'quota'],
  [1013, 'server_error'],
  [2013, 'bad_request'],
])('MiniMax: the code %i is %s, with any HTTP status and without a stream', async (code, kind) => {
  for (const status of [200, 400, 500])
    for (const name of ['anthropic', 'openai-chat']) {
      const server = await loopback((response) => {
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(base(code, 'it failed')));
      });
      const provider = wires[name]?.create({ name, baseUrl: server.url, infoOf: () => modelInfo() });
      const { error } = provider ? await play(provider, hello()) : {};
      expect(error).toMatchObject({ kind, message: 'it failed' });
    }
});
