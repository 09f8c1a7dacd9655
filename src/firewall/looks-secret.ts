/** A value that must not leave this machine, and its name in placeholders. */
export type NamedSecret = { name: string; value: string };

/** Shorter values appear by chance in harmless text. */
export const SHORTEST = 8;
const LONGEST = 16_384;

/** Words that make a name secret, alone or as a suffix: PGPASSWORD, authToken. */
const STRONG = /^(pass|pwd|cookies?)$|(password|passwd|passphrase|secret|token|credential|apikey)s?$/i;
/** Words that make a name secret only if the value looks like one. */
const WEAK = /^(keys?|auth|private|session|signature|salt|dsn|webhook)$/i;
/** Last words of names that describe a secret: TOKEN_LIMIT, KEY_FILE. */
const ABOUT =
  /^(ids?|file|path|dir|url|uri|host|port|name|type|length|size|limit|count|max|min|ttl|expiry|expires|timeout|enabled|disabled|mode|sock|pid|algorithm|alg|header|prefix|suffix|format|version|provider|method|issuer|audience|env|store|helper)$/i;

/** Common values that are not secrets. */
const COMMON = new Set(
  (
    'password passwords password1 password123 passw0rd changeme change-me change_me changeit default disabled ' +
    'enabled required optional undefined localhost postgres postgresql rabbitmq mariadb minioadmin administrator ' +
    'development production staging testing example examples secretsecret your-api-key your_api_key yourtoken ' +
    'your-token your_token your-secret your_secret your-password your_password my-secret my_secret mysecret ' +
    'mypassword my-password placeholder redacted 12345678 123456789 1234567890 testtest test1234 test-key ' +
    'test-token test-secret fake-key fake-token dummy-key dummykey keychain anonymous username user-token'
  ).split(' '),
);

const SYSTEM_FOLDER =
  /^(~|\.{0,2}\/(usr|etc|home|tmp|var|opt|root|Users|private|run|dev|proc|mnt|srv|bin|lib|nix|snap|app|data|work|workspace|Library|Applications)(\/|$)|\.{1,2}\/|[A-Za-z]:[\\/])/;

export type NameStrength = 'strong' | 'weak' | 'none';

/** How strongly the name of a variable or field suggests a secret. */
export function nameStrength(name: string): NameStrength {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter(Boolean);
  if (ABOUT.test(words.at(-1) ?? '')) return 'none';
  if (words.some((word) => STRONG.test(word))) return 'strong';
  if (/api_?key$/i.test(name)) return 'strong';
  const open = words.some((word) => /^(public|publishable)$/i.test(word));
  return !open && words.some((word) => WEAK.test(word)) ? 'weak' : 'none';
}

/** Whether a named value is worth hiding: neither too short nor meaningless. */
export function isSecretValue(value: string, strength: NameStrength): boolean {
  if (strength === 'none' || !isPossible(value)) return false;
  return strength === 'strong' || value.startsWith('-----BEGIN ') || looksLikeToken(value);
}

/** Letters and digits mixed unlike any word, host name, version or path. */
export function looksLikeToken(value: string): boolean {
  if (value.length < 12 || !isPossible(value) || !/^[\w+/=.~:@!#$%^&*-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return !value.split(/[-_./:@=]/).every((piece) => /^([A-Za-z]*\d{0,4}|\d{0,4}[A-Za-z]{0,3})$/.test(piece));
}

/** The password inside a URL such as `postgres://user:password@host/db`, as written and decoded. */
export function passwordsInAddress(value: string): string[] {
  const written = /:\/\/[^\s:/@]*:([^\s/@]+)@/.exec(value)?.[1];
  if (written === undefined) return [];
  return [...new Set([written, decoded(written)])].filter((password) => isPossible(password));
}

export function isCommon(value: string): boolean {
  return COMMON.has(value.toLowerCase());
}

/** A template placeholder, such as `${TOKEN}`, `<token>` or `xxxxxxxx`. */
export function isGap(value: string): boolean {
  return /^(\$\{?[\w.:-]+\}?|\$\(.*\)|%\w+%|<[^>]*>|\{\{.*\}\}|\[secret:.*\])$|^(.)\2*$|^(your|my)[-_ ]/i.test(
    value,
  );
}

export function isPossible(value: string, shortest = SHORTEST): boolean {
  if (value.length < shortest || value.length > LONGEST) return false;
  if (isCommon(value) || isGap(value) || /^[\d\s.,:+-]+$/.test(value)) return false;
  if (SYSTEM_FOLDER.test(value) && /^[\w\s.~/\\:@+-]*$/.test(value)) return false;
  return !/^[a-z][a-z\d+.-]*:\/\//i.test(value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
