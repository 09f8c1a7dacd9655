import { expect, test } from 'vitest';
import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import { presets } from '../presets.ts';
import { nextStep } from './next-step.ts';

const after = (kind: ProviderErrorKind, provider: string, status?: number) =>
  nextStep(new ProviderError('no', { kind, provider, ...(status && { status }) }), 'm-1');

test.each<[string, ProviderErrorKind, string, number | undefined, string]>([
  [
    'a wrong key',
    'auth',
    'anthropic',
    401,
    'Your Anthropic key was rejected. Run `aca keys set anthropic`, or correct ANTHROPIC_API_KEY if it is set.',
  ],
  [
    'a wrong key that comes as a 400',
    'auth',
    'google',
    400,
    'Your Google Gemini key was rejected. Run `aca keys set google`, or correct GEMINI_API_KEY if it is set.',
  ],
  [
    'a key without the right',
    'auth',
    'openai',
    403,
    'OpenAI denied access: your key may not use m-1. Check its permissions, or use another key. Run `aca keys set openai`, or correct OPENAI_API_KEY if it is set.',
  ],
  ['a vendor from the settings', 'auth', 'acme', 401, 'Your acme key was rejected. Run `aca keys set acme`.'],
  [
    'a model that is gone',
    'model_not_found',
    'anthropic',
    404,
    'Anthropic does not offer m-1: it may be misspelled, retired or closed to your account. Run `aca models list` to see what you can use.',
  ],
  [
    'nothing at the address',
    'network',
    'openai',
    undefined,
    'Check your connection and proxy. `aca doctor` tests them.',
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
    'Check your connection with `aca doctor`, or try again later.',
  ],
  [
    'no answer from a local server',
    'timeout',
    'ollama',
    undefined,
    'Check that Ollama is running. For a slow model, raise `network.silenceMs`.',
  ],
])('%s: the next step is named', (_, kind, provider, status, expected) => {
  expect(after(kind, provider, status)).toBe(expected);
});

test.each(presets.map(({ name, label }) => [name, label] as const))(
  '%s is named with its label and the command that stores its key',
  (name, label) => {
    for (const status of [401, 403]) {
      expect(after('auth', name, status)).toContain(label);
      expect(after('auth', name, status)).toContain(`\`aca keys set ${name}\``);
    }
  },
);

test('other failures have no step of their own', () => {
  expect(after('bad_request', 'openai', 400)).toBeUndefined();
});
