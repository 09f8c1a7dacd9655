import type { NameKind } from './credential-names.ts';
import { isPossible, looksLikeToken } from './looks-secret.ts';

export type ValueContext = {
  kind: NameKind;
  /** In a settings file or as a constant, not as an expression in code. */
  isData: boolean;
  quoted: boolean;
  /** How long it is at least. */
  shortest?: number;
};

/** Templates, lookups, references and expressions: the secret is elsewhere. */
const ELSEWHERE =
  /\$\{|\$\(|\{\{|\}\}|<%|%\(|%[sdv]\b|#\{|^\$\w+$|^%\w+%$|^!|^@|\{[\w.]*\}|process\.env|import\.meta|environ|getenv|\benv\(|\(\)|=>|\[\^|\\[wsdbSWD]|\.\*|\.\+|\(\?|^arn:|^ENC\[|^vault:|^ref\+|^secretref:|^projects\/|^\/subscriptions\/|^refs\//i;
/** Words of examples. The rest without them must be worth hiding. */
const MODEL_WORDS =
  /(?:example|sample|dummy|fake|placeholder|change[-_]?(?:me|it)|redacted|hidden|masked|removed|your|my|insert|replace|goes|here|mock|fixture|foo|bar|baz|quux?|lorem|ipsum|todo|fixme|test(?:ing)?|demo|invalid|wrong|correct|old|new|super|very|some|the|this|that|not|real|valid|expired|hello|world|password|passwd|pass|secret|token|key|api|user|admin|root|guest|qwerty|letmein|abc|xyz|value|string|random|one|two|three|first|second|a)/gi;
/** Common terms with a digit. */
const TERMS =
  /(?:base|sha|md|utf|oauth|http|x|s|ec|p|v|i|k|h|es|rs|hs|ps|ed|aes|uint|int|float|arg|param|web|ipv|mp|log|argon|scrypt|bcrypt|pbkdf|ecdsa|rsa)-?\d+(?:\w?\d+)?/gi;

/** Whether the value of such a name is a secret, and not a type, a name, a template or an example. */
export function isCredential(value: string, { kind, isData, quoted, shortest }: ValueContext): boolean {
  if (/\s/.test(value) || ELSEWHERE.test(value) || !isPossible(value, shortest)) return false;
  // In vendors' documentation, as in the secret key of Amazon's example.
  if (value.includes('EXAMPLE')) return false;
  if (isBasicAuth(value)) return quoted;
  if (kind === 'word' || !isData) return looksRandom(value) && (quoted || isData || !isIdentifier(value));
  return looksRandom(value) || (isMixed(value) && (quoted || !isIdentifierOfWords(value)));
}

/** Words that explain a passphrase instead of being one. */
const EXPLAINING =
  /^(?:a|an|and|are|as|at|be|by|can|confirm|correct-horse|enter|for|from|has|have|if|in|invalid|is|it|key|must|new|no|not|of|on|or|passphrase|password|phrase|please|protect|recovery|repeat|required|secret|set|should|strong|that|the|this|to|too|type|use|used|wallet|was|when|will|with|wrong|you|your)$/;

/** Four or more lower-case words that form no sentence. */
export function isPassphrase(value: string): boolean {
  const words = value.split(/[ -]/);
  const isPlain =
    words.length >= 4 && words.length <= 24 && words.every((word) => /^[a-z]{0,12}\d{0,4}$/.test(word));
  return isPlain && !words.some((word) => word === '' || EXPLAINING.test(word));
}

/** A password that a person would mention in a sentence: with letters of both cases and a digit. */
export function isMentioned(value: string): boolean {
  const isPassword = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
  return isPassword && isCredential(value, { kind: 'field', isData: true, quoted: true });
}

/** Characters mixed as in no natural word: machine-generated. */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || !looksLikeToken(value)) {
    // Letters only: about as many upper-case as lower-case ones.
    return /^[A-Za-z+/_-]{16,}={0,2}$/.test(value) && averageRun(value) < 2.4;
  }
  return averageRun(value) < 4.2;
}

/** The average length of runs of lower-case letters, upper-case letters, digits or other characters. */
function averageRun(value: string): number {
  return value.length / (value.match(/[a-z]+|[A-Z]+|\d+|[^A-Za-z\d]+/g)?.length ?? 1);
}

/** More than words followed by a number. */
function isMixed(value: string): boolean {
  const rest = value.replaceAll(TERMS, '').replaceAll(MODEL_WORDS, '');
  if (/^[\W_\d]*$/.test(rest)) return false;
  if (/\d/.test(rest) && /[A-Za-z]/.test(rest)) return true;
  return /[A-Za-z]/.test(rest) && /[!@#$%^&*?~+]/.test(value);
}

function isIdentifier(value: string): boolean {
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*$/.test(value) && !looksRandom(value);
}

/** An identifier in code, such as `base64Token` or `user2.password`. */
function isIdentifierOfWords(value: string): boolean {
  return isIdentifier(value) && !/\d[a-z]/i.test(value.replaceAll(TERMS, ''));
}

/** `user:password` in base64, as registries store it. */
function isBasicAuth(value: string): boolean {
  if (!/^[A-Za-z\d+/]{8,}={0,2}$/.test(value) || value.length % 4 !== 0) return false;
  return /^[\x21-\x39\x3b-\x7e]{1,64}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
