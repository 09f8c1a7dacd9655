import { ProviderError } from '../../contract/errors.ts';
import type { ProviderOptions } from '../options.ts';

const EXCERPT_LENGTH = 200;

/** A printable excerpt of an unexpected response: one line, without markup. */
export function excerpt(text: string): string {
  const line = text
    .replaceAll(/<(script|style)\b.*?<\/\1>/gis, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** Some servers echo the key. Call this before shortening a text: half a key does not match. */
export function redact(text: string, { apiKey, headers = {}, endpoint }: Secrets): string {
  const own = [apiKey ?? '', ...Object.values(headers), ...(endpoint?.secrets() ?? [])];
  const secrets = own.filter((value) => value.length >= 8);
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}

type Secrets = Pick<ProviderOptions, 'apiKey' | 'headers' | 'endpoint'>;

/** The server's response is not in this protocol: a login page, a proxy's notice, broken JSON. */
export function notTheProtocol(
  { name: provider, ...secrets }: Pick<ProviderOptions, 'name'> & Secrets,
  text: string,
): ProviderError {
  const shown = excerpt(redact(text, secrets));
  return new ProviderError(`${provider} sent an invalid response${shown === '' ? '.' : `: ${shown}`}`, {
    kind: 'protocol',
    provider,
  });
}

/** The stream ended without its final event. `hasOutput`: whether the model had produced any output. */
export function endedEarly(provider: string, hasOutput: boolean): ProviderError {
  return hasOutput
    ? new ProviderError('The answer was cut off.', { kind: 'cut', provider })
    : new ProviderError(`${provider} closed the connection without answering.`, {
        kind: 'timeout',
        provider,
      });
}
