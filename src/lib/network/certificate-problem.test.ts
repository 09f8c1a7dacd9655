import { describe, expect, test } from 'vitest';
import { certificateProblem } from './certificate-problem.ts';

const failing = (code: string, message = 'x') =>
  new TypeError('fetch failed', {
    cause: new Error('wrapped', { cause: Object.assign(new Error(message), { code }) }),
  });

describe('a server whose certificate is refused has responded, and the sentence says what to set', () => {
  test.each([
    'CERT_CHAIN_TOO_LONG',
    'CERT_SIGNATURE_FAILURE',
    'CERT_UNTRUSTED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'INVALID_CA',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('%s', (code) => {
    expect(certificateProblem(failing(code), 'a.test')).toBe(
      `The certificate of a.test is not trusted (${code}). Set network.caFile to the PEM file of its certificate authority.`,
    );
  });

  test.each([
    ['CERT_HAS_EXPIRED', /has expired .*clock/],
    ['CERT_NOT_YET_VALID', /is not valid yet .*clock/],
    ['CERT_REVOKED', /was revoked/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for another host .*address/],
  ])('%s needs no authority', (code, words) => {
    expect(certificateProblem(failing(code), 'a.test')).toMatch(words);
    expect(certificateProblem(failing(code), 'a.test')).not.toContain('caFile');
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'ETIMEDOUT', 'EACCES'])(
    '%s is no such failure',
    (code) => {
      expect(certificateProblem(failing(code), 'a.test')).toBe(null);
    },
  );

  test('a library that drops the code still says it in words', () => {
    expect(certificateProblem(new Error('self-signed certificate in certificate chain'), 'a.test')).toContain(
      'caFile',
    );
    expect(certificateProblem('not an error', 'a.test')).toBe(null);
  });
});
