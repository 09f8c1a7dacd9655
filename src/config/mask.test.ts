import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskKey, maskSecrets } from './mask.ts';

test('a masked key shows its last four characters, or nothing if it is short', () => {
  expect(['sk-ant-0123456789', 'short', ''].map(maskKey)).toEqual(['…6789', '…', '…']);
});

test('secrets are masked wherever they occur, and nothing else is', () => {
  const config = {
    model: 'a/b',
    apiKey: 'sk-0123456789abcd',
    apiBaseUrl: 'https://ann:hunter2@host/v1',
    providers: {
      x: { apiKey: 'tiny', headers: { Authorization: 'Bearer 0123456789' }, baseUrl: 'http://h/a@b' },
    },
    blockedPaths: ['a', 'b'],
    maxTurns: 5,
  };
  expect(maskSecrets(config)).toEqual({
    model: 'a/b',
    apiKey: '…abcd',
    apiBaseUrl: 'https://…@host/v1',
    providers: { x: { apiKey: '…', headers: { Authorization: '…6789' }, baseUrl: 'http://h/a@b' } },
    blockedPaths: ['a', 'b'],
    maxTurns: 5,
  });
});

test('no key survives masking', () => {
  const key = fc.stringMatching(/^[a-z0-9]{12,40}$/);
  fc.assert(
    fc.property(key, (secret) => {
      const shown = JSON.stringify(maskSecrets({ apiKey: secret, providers: { p: { apiKey: secret } } }));
      expect(shown).not.toContain(secret.slice(0, -4));
    }),
  );
});
