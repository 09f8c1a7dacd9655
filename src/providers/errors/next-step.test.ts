import { describe, expect, test } from 'vitest';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import { type Preset, presets } from '../presets.ts';
import { nextStep } from './next-step.ts';

const after = (kind: ProviderErrorKind, provider: string, status?: number) =>
  nextStep(new ProviderError('no', { kind, provider, ...(status && { status }) }), 'm-1');

test('a model that its vendor has retired', () => {
  const error = new ProviderError('no', { kind: 'model_not_found', provider: 'anthropic', status: 404 });
  expect(nextStep(error, 'claude-sonnet-4-20250514')).toBe(
    'Anthropic retired claude-sonnet-4-20250514 on 2026-06-15. Run `aca models list` to see what you can use.',
  );
});

test.each<[string, ProviderErrorKind, string, number | undefined, string]>([
  [
    'a wrong key',
    'auth',
    'anthropic',
    401,
    'Your Anthropic key was rejected. Run `aca keys set anthropic`, or update ANTHROPIC_API_KEY if it is set.',
  ],
  [
    'a wrong key that comes as a 400',
    'auth',
    'google',
    400,
    'Your Google Gemini key was rejected. Run `aca keys set google`, or update GEMINI_API_KEY if it is set.',
  ],
  [
    'a key without the right',
    'auth',
    'openai',
    403,
    "OpenAI denied access to m-1. Check your key's permissions. To use another key, run `aca keys set openai`, or update OPENAI_API_KEY if it is set.",
  ],
  ['a vendor from the settings', 'auth', 'acme', 401, 'Your acme key was rejected. Run `aca keys set acme`.'],
  [
    'a model that is gone',
    'model_not_found',
    'anthropic',
    404,
    'Anthropic does not offer m-1: it may be misspelled, retired or unavailable to your account. Run `aca models list` to see what you can use.',
  ],
  [
    'a model that a local server does not have',
    'model_not_found',
    'lmstudio',
    404,
    'LM Studio has no model m-1. Install or load it there, or run `aca models list` to see what you can use.',
  ],
  [
    'a local server that wants a key',
    'auth',
    'llamacpp',
    401,
    'The llama.cpp server requires a valid key. Run `aca keys set llamacpp`, or update LLAMA_API_KEY if it is set.',
  ],
  [
    'a key of the same vendor over its other protocol',
    'auth',
    'openai-chat',
    401,
    'Your OpenAI key was rejected. Run `aca keys set openai-chat`, or update OPENAI_API_KEY if it is set.',
  ],
  [
    'an empty account',
    'quota',
    'deepseek',
    402,
    'Your DeepSeek account is out of credit or over its limit. Check its billing page, or use another model.',
  ],
  [
    'nothing at the address',
    'network',
    'openai',
    undefined,
    'Could not reach OpenAI. Check your connection and proxy with `aca doctor`.',
  ],
  [
    'no local server',
    'network',
    'ollama',
    undefined,
    'Start Ollama, or check its address with `aca doctor`.',
  ],
  [
    'no answer',
    'timeout',
    'openai',
    undefined,
    'OpenAI did not answer. Check your connection with `aca doctor`, or try again later.',
  ],
  [
    'no answer from a local server',
    'timeout',
    'ollama',
    undefined,
    'Check that Ollama is running. For a slow model, raise `network.silenceMs`.',
  ],
])('%s: names the next step', (_, kind, provider, status, expected) => {
  expect(after(kind, provider, status)).toBe(expected);
});

/** Every kind of failure; the type makes the table complete. */
const failures: Record<ProviderErrorKind, readonly (number | undefined)[]> = {
  auth: [401, 403],
  quota: [402],
  rate_limit: [429],
  overloaded: [503],
  server_error: [500],
  timeout: [undefined],
  network: [undefined],
  cut: [undefined],
  protocol: [200],
  overflow: [413],
  model_not_found: [404],
  stale_reasoning: [400, 404],
  bad_request: [400],
};
const rows = Object.entries(failures).flatMap(([kind, statuses]) =>
  statuses.map((status) => [kind as ProviderErrorKind, status] as const),
);

/** A sentence that tells the reader to do something. */
const STEP = /\b(Run|Check|Start|Try|Wait|Install|restart|use another|try again)\b/;

describe.each<Preset>(presets)('$name', (preset) => {
  test.each(rows)('after %s %s, a sentence names it and the next step', (kind, status) => {
    const words = after(kind, preset.name, status);
    expect(words).toMatch(STEP);
    expect(words).toMatch(/^\S.*\.$/);
    if (kind !== 'overflow')
      expect(words.toLowerCase()).toContain((preset.inText ?? preset.label).toLowerCase());
    if (kind === 'auth') expect(words).toContain(`\`aca keys set ${preset.name}\``);
  });
});
