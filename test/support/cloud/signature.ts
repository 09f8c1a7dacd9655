import type { IncomingMessage } from 'node:http';
import aws4 from 'aws4';

export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/**
 * Null if a request has the signature that an independent implementation computes for it; else the reason, as
 * AWS would say it.
 */
export function signatureFault(
  { method = '', url = '', headers }: IncomingMessage,
  body: string | Buffer,
  { keys, region, service = 'bedrock' }: { keys: AwsKeys; region: string; service?: string },
): { type: string; message: string } | null {
  const given = headers.authorization ?? '';
  const [, key, day, zone, named, names = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=/.exec(
      given,
    ) ?? [];
  if (key === undefined) return { type: 'MissingAuthenticationTokenException', message: 'Missing token' };
  if (key !== keys.accessKeyId)
    return {
      type: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    };
  if (keys.sessionToken !== headers['x-amz-security-token'])
    return {
      type: 'ExpiredTokenException',
      message: 'The security token included in the request is expired',
    };
  if (zone !== region || named !== service || day === undefined)
    return {
      type: 'InvalidSignatureException',
      message: `Credential should be scoped to a valid region, not ${zone}/${named}.`,
    };
  const signed = Object.fromEntries(names.split(';').map((name) => [name, String(headers[name] ?? '')]));
  const ignored = Object.fromEntries(
    ['content-length', 'content-type'].filter((name) => !(name in signed)).map((name) => [name, true]),
  );
  const expected = aws4.sign(
    {
      method,
      host: headers.host ?? '',
      path: url,
      headers: signed,
      body,
      service,
      region,
      extraHeadersToIgnore: ignored,
    } as unknown as Parameters<typeof aws4.sign>[0],
    keys,
  );
  const said = new Headers(expected.headers as Record<string, string>).get('authorization');
  return said === given
    ? null
    : { type: 'InvalidSignatureException', message: `The request signature is ${given}, not ${said}.` };
}
