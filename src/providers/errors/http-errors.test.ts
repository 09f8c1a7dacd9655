import { expect, test } from 'vitest';
import { fromBrokenConnection, kindOf } from './http-errors.ts';

const where = { provider: 'acme', address: 'https://api.acme.test', hasOutput: false };

/** An error as a socket, or a library on top of it, reports it. */
function broken(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

test.each([
  ['connect ECONNREFUSED 10.0.0.1:443', 'ECONNREFUSED'],
  ['getaddrinfo ENOTFOUND api.acme.test', 'ENOTFOUND'],
])('%s: connection refused, and the error names the address', (message, code) => {
  expect(fromBrokenConnection(broken(message, code), where)).toMatchObject({
    kind: 'network',
    provider: 'acme',
    message: `Could not connect to https://api.acme.test (${code}).`,
  });
});

test('a refused connection names the peer if it differs from the address: it may be the proxy', () => {
  const refused = (peer: { address: string; port: number }) =>
    new Error('no connection', { cause: Object.assign(broken('no', 'ECONNREFUSED'), peer) });
  const peer = { address: '10.0.0.9', port: 3128 };
  expect(fromBrokenConnection(refused(peer), where).message).toBe(
    'Could not connect to https://api.acme.test (ECONNREFUSED 10.0.0.9:3128).',
  );
  expect(fromBrokenConnection(refused(peer), { ...where, address: 'http://10.0.0.9:3128' }).message).toBe(
    'Could not connect to http://10.0.0.9:3128 (ECONNREFUSED).',
  );
});

test.each([
  ['403', 'The proxy refused to connect to https://api.acme.test (403).'],
  [
    '407',
    'The proxy refused to connect to https://api.acme.test (407). Add a user name and password to its URL.',
  ],
])('a proxy that answers %s is reported, and not retried', (status, message) => {
  const error = broken(`Proxy response (${status}) !== 200 when HTTP Tunneling`, 'UND_ERR_ABORTED');
  expect(fromBrokenConnection(error, where)).toMatchObject({ kind: 'network', message });
});

test.each([
  ['self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['unable to get local issuer certificate', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
])('%s: the certificate error is named, with the setting for a custom CA', (message, code) => {
  expect(fromBrokenConnection(broken(message, code), where)).toMatchObject({
    kind: 'network',
    message: `The certificate of https://api.acme.test is not trusted (${code}). Set network.caFile to the PEM file of its certificate authority.`,
  });
});

test('any other broken connection is retryable before the first output and `cut` after it', () => {
  const error = broken('other side closed', 'UND_ERR_SOCKET');
  expect(fromBrokenConnection(error, where)).toMatchObject({
    kind: 'timeout',
    message: 'No answer from https://api.acme.test (UND_ERR_SOCKET).',
  });
  expect(fromBrokenConnection(error, { ...where, hasOutput: true })).toMatchObject({
    kind: 'cut',
    message: 'The connection was lost in the middle of the answer (UND_ERR_SOCKET).',
  });
});

test('a bug in our own code is not mistaken for a broken connection', () => {
  const slip = new TypeError("Cannot read properties of undefined (reading 'id')");
  expect(() => fromBrokenConnection(slip, where)).toThrow(slip);
  const wrong = Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' });
  expect(fromBrokenConnection(wrong, where).kind).toBe('timeout');
});

test.each([
  [
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
    'quota',
  ],
  ['exceeded_current_quota_error', 'Your account is suspended, please check your plan.', 'quota'],
  ['rate_limit_exceeded', 'Rate limit reached for requests per minute. Limit: 3 per minute.', 'rate_limit'],
  ['engine_overloaded_error', 'The engine is currently overloaded.', 'rate_limit'],
  ['rate_limit_reached_error', 'Your account reached max request: 3 per minute.', 'rate_limit'],
  ['rate_limit_error enforced_spend_limit_reached', 'You have reached your limit.', 'quota'],
  ['rate_limit_error', 'Your organization has reached its monthly spend limit.', 'quota'],
  ['organization_spend_limit_exceeded', 'The limit of your organization was reached.', 'quota'],
  ['project_spend_limit_exceeded', 'The limit of your project was reached.', 'quota'],
  ['credit_balance_exhausted', 'No credits left.', 'quota'],
])('a 429 with %s is retried only if it passes', (label, message, kind) => {
  expect(kindOf(429, message, label)).toBe(kind);
});

test.each<[number, string, string]>([
  [400, 'You have reached your specified API usage limits. You will regain access on 2026-12-01.', 'quota'],
  [402, 'Insufficient credits', 'quota'],
  [403, 'openai/gpt-4.1 requires moderation. Your input was flagged.', 'bad_request'],
  [403, 'Not for you', 'auth'],
])('a %i with "%s" is %s', (status, message, kind) => {
  expect(kindOf(status, message)).toBe(kind);
});
