import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { ProviderError } from '../../../contract/errors.ts';
import type { HttpRequest } from '../../../lib/network/http-client.ts';
import { isNetworkError } from '../network-error.ts';

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

type Signer = (request: HttpRequest, refresh: boolean) => Promise<Record<string, string>>;

/** The headers of a request with AWS's Signature Version 4. */
export function signWith({
  region,
  credentials,
}: {
  region: string;
  credentials(refresh: boolean): Promise<AwsCredentials>;
}): Signer {
  return async ({ url, method = 'GET', headers = {}, body = '' }, refresh) => {
    const { protocol, hostname, port, host, pathname, searchParams } = new URL(url);
    const signer = new SignatureV4({
      credentials: await credentials(refresh),
      region,
      service: 'bedrock',
      sha256: Sha256,
    });
    const signed = await signer.sign({
      method,
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...headers, host },
      body,
    });
    return signed.headers;
  };
}

/** SHA-256, keyed if there is a secret, in the form that the signer takes. */
class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesOf(chunk));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }

  reset(): void {
    throw new Error('A signature is computed once.');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Why AWS's own credential chain found nothing. Errors of the network are returned unchanged. */
export function credentialError(
  error: unknown,
  { provider, profile }: { provider: string; profile: string },
): unknown {
  if (isNetworkError(error)) return error;
  const said = error instanceof Error ? error.message.replace(/[.\s]+$/, '') : String(error);
  const isMissing = /could not load credentials from any providers/i.test(said);
  const login = profile === 'default' ? 'aws sso login' : `aws sso login --profile ${profile}`;
  const nextStep = isMissing
    ? `Run \`${login}\` or \`aws configure\`, set AWS_PROFILE, or set AWS_BEARER_TOKEN_BEDROCK to a Bedrock API key.`
    : /\bsso\b|expired|aws login/i.test(said)
      ? `Run \`${login}\`, then try again.`
      : `Check the profile ${profile} in ~/.aws/config, for example with \`aws sts get-caller-identity --profile ${profile}\`.`;
  const message = isMissing ? 'No AWS credentials found.' : `Could not get AWS credentials: ${said}.`;
  return new ProviderError(message, { kind: 'auth', provider, nextStep }, { cause: error });
}
