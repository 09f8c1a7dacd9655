/**
 * How certain a name is: `field` names are used for credentials in files of clouds and build tools
 * (`client_secret`, `DB_PASSWORD`); a `word` only contains a keyword (`token`, `secret`), like much other
 * code.
 */
export type NameKind = 'field' | 'word';

const PASSWORD =
  /^(?:\w*(?:password|passwd|passphrase|passcode|passwort|kennwort)|contrasena|senha|wachtwoord|pwd|pass|pw)$/;
const SECRET = /^(?:\w*(?:secret|token)|apikey|credentials?|creds?)$/;
/** What a key is for, if it is a credential. */
const KEY_OF =
  /^(?:api|access|secret|private|account|auth|encryption|decryption|signing|master|service|storage|shared|client|deploy|ssh|ssl|tls|webhook|session|app|application|admin|subscription|server|write|ingest|function|host|license|functions|hmac|jwt|aes|cookie|management|root)$/;
/** The owner of a secret or token, if it is a credential. */
const QUALIFIED =
  /^(?:client|refresh|access|id|auth|oauth|bearer|bot|api|session|personal|deploy|app|application|webhook|signing|jwt|shared|consumer|security|service|user|admin|ci|npm|github|gitlab|slack|aws|azure|gcp|vault|registry|publish|upload|db|database|hmac|cookie|root|master|device|push|identity|account|integration|job|runner|bootstrap|join|cluster)$/;
/** Words that make a secret-like name harmless, anywhere in it. */
const HARMLESS =
  /^(?:public|publishable|pub|next|previous|prev|page|pagination|continuation|continue|cursor|sync|resume|cancel|cancellation|abort|max|min|num|total|count|prompt|completion|input|output|cached|reasoning|usage|is|has|no|with|without|test|mock|fake|dummy|example|sample|foreign|primary|sort|partition|cache|idempotency|i18n|translation|lookup|hash|object|map|dedupe|group|row|column|index|storage)$/;
/** Last words of names that describe a secret but are not one. */
const ABOUT =
  /^(?:ids?|file|filename|path|dir|folder|url|uri|urls|host|port|names?|types?|kind|length|len|size|limits?|count|ttl|expiry|expires|expiration|expired|timeout|age|enabled|disabled|mode|sock|pid|algorithm|alg|header|headers|prefix|suffix|format|version|provider|providers|method|issuer|audience|env|envs|store|storage|helper|placeholder|label|hint|hints|text|error|errors|message|messages|msg|title|description|desc|field|fields|input|regex|regexp|pattern|patterns|schema|policy|rule|rules|strategy|class|endpoint|ref|refs|reference|arn|list|map|set|manager|service|factory|scope|scopes|required|optional|valid|invalid|validator|strength|status|state|index|position|start|end|range|color|style|parser|stream|usage|budget|cost|price|rate|window|created|updated|at|by|for|of|is|count|fingerprint|hash|hashes|digest|sha|sha1|sha256|md5|checksum|thumbprint|curve|usages|ops|pair|ring|chain|board|code|codes|down|up|press|frame|frames|word|words|event|events|space|spaces|page|screen|view|form|button|modal|dialog|link|template|subject|handler|callback|fn|func|function|fetcher|getter|setter|resolver|extractor|generator|iterator|stack|tree|node|kinds|category|categories|counter|estimate|estimator|encoder|decoder|izer|izers|exists|rotation|lifetime|validity|alias|aliases|region|tenant|vault|bucket|project|organization|owner|user|username|email|login)$/;
/** Last words that say how or where the same secret is stored. */
const KEPT =
  /^(?:data|value|val|b64|base64|base|encoded|raw|plain|plaintext|string|str|old|new|current|prod|production|dev|staging|live|default|encrypted|\d+|[a-z]\d?)$/;

/** What a name says about its value; null if it says nothing about secrets. */
export function credentialName(name: string): NameKind | null {
  const words = wordsOf(name);
  while (words.length > 1 && KEPT.test(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const others = words.slice(0, -1);
  if (PASSWORD.test(last))
    return others.some((word) => HARMLESS.test(word) && word !== 'test') ? 'word' : 'field';
  if (ABOUT.test(last)) return null;
  if (SECRET.test(last)) {
    if (others.some((word) => HARMLESS.test(word))) return null;
    return last === 'apikey' || QUALIFIED.test(before) || (others.length > 0 && isUpperCase(name))
      ? 'field'
      : 'word';
  }
  if (last === 'key' || last === 'keys') {
    if (others.some((word) => /^(?:public|publishable|pub)$/.test(word))) return null;
    return KEY_OF.test(before) ? 'field' : isUpperCase(name) && others.length > 0 ? 'word' : null;
  }
  if (last === 'auth') return words.length === 1 ? 'word' : null;
  // `TOKEN_GITHUB`, `passwordForCi`: the secret comes first and its owner after it.
  if (isUpperCase(name) && words.some((word) => PASSWORD.test(word) || SECRET.test(word)))
    return words.some((word) => HARMLESS.test(word)) ? null : 'word';
  return null;
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);
}

/** In the style of environment variables. */
function isUpperCase(name: string): boolean {
  return /^[A-Z\d_]+$/.test(name);
}
