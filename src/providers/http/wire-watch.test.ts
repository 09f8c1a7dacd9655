import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fails, loopback, modelInfo } from '../../../test/support/loopback.ts';
import { redact } from '../errors/protocol-errors.ts';
import { errorMessageIn, fromStreamedError } from '../errors/vendor-errors.ts';
import type { ProviderOptions } from '../options.ts';
import { assertSendable, watchWire } from './wire-watch.ts';

const options = (extra: Partial<ProviderOptions> = {}): ProviderOptions => ({
  name: 'vendor',
  baseUrl: 'https://api.example/v1',
  infoOf: () => modelInfo(),
  ...extra,
});

const request = () => ({ headers: {}, body: {}, signal: new AbortController().signal });

describe('[N11] a watched request', () => {
  test('passes the response on unchanged and records its beginning and its latest part', async () => {
    const long = `${'a'.repeat(5000)}${'z'.repeat(500)}`;
    const server = await loopback((response) => void response.writeHead(201, { 'x-kept': 'yes' }).end(long));
    const watch = watchWire(options());

    const { status, headers, text } = await watch.post(server.url, request());

    expect([status, headers['x-kept'], await text()]).toEqual([201, 'yes', long]);
    expect(watch.opening()).toBe('a'.repeat(300));
    expect(watch.latest()).toMatch(/^z{1,120}$/);
  });

  test('throws an error response in the vendor’s words', async () => {
    const server = await loopback((response) => fails(response, 403, { body: { error: 'Keep out' } }));
    const watch = watchWire(options());
    await expect(watch.post(server.url, request())).rejects.toMatchObject({
      kind: 'auth',
      status: 403,
      message: 'Keep out',
      provider: 'vendor',
    });
  });
});

test.each([
  ['{"error":{"message":"a"}}', 'a'],
  ['{"error":"a"}', 'a'],
  ['[{"error":{"message":"a"}}]', 'a'],
  ['{"message":"a"}', 'a'],
  ['{"detail":[{"msg":"a"}]}', 'a'],
  ['{"error":{},"message":"a"}', 'a'],
  ['{"error":{"message":"a","metadata":{"raw":"b"}}}', 'a: b'],
  ['{"ok":true}', undefined],
  ['"a"', 'a'],
  ['null', undefined],
  ['<html>', undefined],
])('[N11] the vendor’s message in %s is %j', (body, words) => {
  expect(errorMessageIn(body)).toBe(words);
});

describe('[N11] errors never contain secrets', () => {
  test('wherever the key or a header’s value is in the text', () => {
    const secret = fc.string({ minLength: 8, maxLength: 40 }).filter((text) => !'[redacted]'.includes(text));
    fc.assert(
      fc.property(secret, fc.array(fc.string({ maxLength: 5 })), (key, around) => {
        const text = around.join(key);
        fc.pre(text.split(key).length === around.length);
        expect(redact(text, options({ apiKey: key }))).toBe(around.join('[redacted]'));
        expect(redact(text, options({ headers: { 'x-key': key } }))).toBe(around.join('[redacted]'));
      }),
    );
  });

  test('also not in an error inside a stream', () => {
    const error = fromStreamedError({ message: 'bad key sk-12345678' }, options({ apiKey: 'sk-12345678' }));
    expect(error.message).toBe('bad key [redacted]');
  });

  test.each<[Partial<ProviderOptions>, string]>([
    [{ apiKey: 'sk-secret\n' }, 'auth'],
    [{ apiKey: 'sk-secret\u2019' }, 'auth'],
    [{ headers: { 'x-key': 'secret\r\n' } }, 'bad_request'],
    [{ baseUrl: 'secret' }, 'bad_request'],
    [{ baseUrl: 'ftp://secret.example' }, 'bad_request'],
    [{ baseUrl: 'https://me:secret@example.com' }, 'bad_request'],
  ])('an unsendable value is rejected without being quoted: %j', (extra, kind) => {
    expect(() => assertSendable(options(extra))).toThrow(
      expect.objectContaining({ kind, message: expect.not.stringContaining('secret') }),
    );
  });

  test('sendable values pass', () => {
    assertSendable(options({ apiKey: 'sk-1', headers: { a: 'b c' } }));
  });
});
