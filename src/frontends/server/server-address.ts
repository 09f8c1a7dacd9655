/** `secret` is null if the address has none. */
export type ServerAddress = { url: string; secret: string | null };

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Reads an address, or a link of `aca serve invite`. Throws an error that says what is wrong. */
export function serverAddress(text: string): ServerAddress {
  const written = text.trim();
  const full = /^\w+:\/\//.test(written) ? written : `https://${written}`;
  const parsed = URL.canParse(full) ? new URL(full) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.host === '')
    throw new Error('Enter an address such as http://127.0.0.1:7317, or an invitation link.');
  if (parsed.protocol === 'http:' && !LOOPBACK.test(parsed.hostname))
    throw new Error('Other machines need https, because the secret would travel unencrypted.');
  const code = new URLSearchParams(parsed.hash.slice(1)).get('code');
  if (code !== null && !/^[\w-]{43}$/.test(code)) throw new Error('The link is not complete. Copy it again.');
  return { url: parsed.origin, secret: code };
}
