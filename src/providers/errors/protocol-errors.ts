import { ProviderError } from '../../contract/errors.ts';
import type { ProviderOptions } from '../options.ts';

const EXCERPT_LENGTH = 200;

/** What can be shown of a text that was not what we waited for: one line, markup left out. */
export function excerpt(text: string): string {
  const line = text
    .replaceAll(/<(script|style)\b.*?<\/\1>/gis, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** Some servers repeat the key they were given. To be asked before a text is shortened: half a key is no match. */
export function redact(text: string, { apiKey, headers = {} }: Secrets): string {
  const secrets = [apiKey ?? '', ...Object.values(headers)].filter((value) => value.length >= 8);
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}

type Secrets = Pick<ProviderOptions, 'apiKey' | 'headers'>;

/** A server answered, but not in this protocol: a login page, a proxy's notice, broken JSON. */
export function notTheProtocol(
  { name: provider, ...secrets }: Pick<ProviderOptions, 'name'> & Secrets,
  text: string,
): ProviderError {
  const shown = excerpt(redact(text, secrets));
  return new ProviderError(
    `${provider} answered with something that is not a model's reply${shown === '' ? '.' : `: ${shown}`}`,
    { kind: 'protocol', provider },
  );
}

/** The stream ended without its last event. `begun` tells whether the model had said anything. */
export function endedEarly(provider: string, begun: boolean): ProviderError {
  return begun
    ? new ProviderError('The answer broke off before its end.', { kind: 'cut', provider })
    : new ProviderError(`${provider} closed the connection without an answer.`, {
        kind: 'timeout',
        provider,
      });
}
