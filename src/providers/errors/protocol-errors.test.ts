import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endedEarly, excerpt, notTheProtocol } from './protocol-errors.ts';

describe('an excerpt', () => {
  test('is the readable part of a page, on one line', () => {
    expect(
      excerpt('<html><style>p{color:red}</style><script>alert(1)</script>\n<p>Please   sign\nin</p></html>'),
    ).toBe('Please sign in');
  });

  test('is short and on one line, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2_000, unit: 'grapheme' }), (text) => {
        expect(excerpt(text).length).toBeLessThanOrEqual(201);
        expect(excerpt(text)).not.toMatch(/[\n\r\t]/);
      }),
    );
  });
});

test('an unexpected response is reported with an excerpt', () => {
  expect(notTheProtocol({ name: 'acme' }, '<p>Sign in</p>')).toMatchObject({
    kind: 'protocol',
    provider: 'acme',
    message: 'acme sent an invalid response: Sign in',
  });
  expect(notTheProtocol({ name: 'acme' }, '<br>').message).toBe('acme sent an invalid response.');
});

test('an early end is `cut` if the model had produced output, retryable if not', () => {
  expect(endedEarly('acme', true)).toMatchObject({ kind: 'cut', provider: 'acme' });
  expect(endedEarly('acme', false)).toMatchObject({ kind: 'timeout', provider: 'acme' });
});

test('an unexpected response that repeats the key is redacted, even where the excerpt would cut the key in two', () => {
  const options = { name: 'acme', apiKey: 'sk-0123456789', headers: { 'x-token': 'secret-token' } };
  expect(notTheProtocol(options, 'You sent sk-0123456789 and secret-token').message).toBe(
    'acme sent an invalid response: You sent [redacted] and [redacted]',
  );
  expect(notTheProtocol(options, `${'x'.repeat(195)}sk-0123456789`).message).not.toContain('sk-0');
});
