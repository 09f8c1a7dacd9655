import { credentialName, type NameKind } from './credential-names.ts';
import { isCredential, isMentioned, isPassphrase, looksRandom } from './credential-values.ts';
import { keyFinders } from './keys/key-finder.ts';
import { SHORTEST } from './looks-secret.ts';
import { type Cut, createScanner, type Finder } from './scan-hints.ts';

const keysIn = createScanner(keyFinders);

const LONGEST_NAME = 64;
const LONGEST_VALUE = 8192;

/**
 * What may be between a name and its value: `=` or `:` in any dialect with an optional type; a field of that
 * name with the value in the next one (`"name": "X", "value": "…"`, `- name: X`, `<add key="X" value="…"/>`);
 * a block (`variable "x" { default = "…" }`); an element of XML or of a property list; an argument.
 */
const GLUE = new RegExp(
  [
    // "X", "value": — - name: X \n value: — X" value="
    String.raw`(?:\\*["'])?\s{0,4},?(?:\s|\\+[nrt]){0,40}(?:\\*["'])?(?:value|Value|default|secret_?[sS]tring)(?:\\*["'])?\s{0,4}[:=]\s{0,40}`,
    // "X": {"value": — variable "X" { default =
    String.raw`(?:\\*["'])?\s{0,4}[:=]?\s{0,4}\{(?:\s|\\+[nrt]){0,40}(?:\\*["'])?(?:value|Value|default)(?:\\*["'])?\s{0,4}[:=]\s{0,40}`,
    // X = , "X": , X => , X := , x: string =
    String.raw`(?:\\*["'\`])?\]?\s{0,40}(?:(?:=>|:=|\?=|\|\|=)|[:=](?!=)(?:\s{0,4}[A-Za-z]{1,20}\s{0,4}=(?![=>]))?)(?<assigned>\s{0,40})`,
    // <key>X</key><string>
    String.raw`</key>\s{0,40}<string>`,
    // <X> and <X attribute="">
    String.raw`(?<element>(?:\s[^<>\n]{0,80})?>)`,
    // ("X", "
    String.raw`(?<argument>\\*["']\s{0,4},\s{0,4})(?=\\*["'])`,
    // the password is X
    String.raw`(?<prose>[ \t]{1,4}(?:is|ist|lautet)[ \t]{1,4}(?:(?:now|jetzt)[ \t]{1,4})?["'\`]?)`,
    // --x value, ENV x value
    String.raw`(?<flag>[ \t]{1,4})`,
  ].join('|'),
  'y',
);
/** An opening quote with its escapes, and string prefixes of some languages. */
const QUOTE = /(?:[bBrRuUfF@$]{1,2}(?=["']))?(\\*(?:"""|'''|["'`]))/y;
/** YAML: the value is on the next line. */
const FOLDED = /[|>][-+]?\d?[ \t]*\n[ \t]+/y;
/** An equals sign ends base64 text, or it is another assignment. */
const BARE = /[^\s"'`<>,;(){}[\]&|\\=]{1,2048}={0,3}/y;
/** What may follow an unquoted value; anything else makes it code. */
const BARE_END = /[\s"'`<,;&|}\]\\]|$/y;
/** What may precede a name at the start of a settings line. */
const LINE_START =
  /(?:^|\n|\\n)[ \t]*(?:[+-][ \t]*|\d{1,7}[\t:-][ \t]*|>[ \t]*)?(?:-[ \t]+)?(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+)?["']?$/;

const DOCKER_VARIABLE = /(?:^|\n)[ \t]*(?:[+-][ \t]*|\d{1,7}[\t:-][ \t]*)?(?:ENV|ARG)[ \t]+$/;
/** Lower-case words after a passphrase's name, up to the end of the line or the quotes. */
const PHRASE =
  /(\\*["'])?([a-z]{1,12}\d{0,4}(?:[ -][a-z]{0,12}\d{0,4}){3,23})(?=\1[ \t]{0,4}(?:[,;}\]#\r\n\\]|$))/y;
/** A word of a sentence; what ends the sentence does not belong to it. */
const MENTIONED = /[^\s"'`<>]{7,63}[^\s"'`<>.,;:)]/y;
/** Names of variables for which shorter values count. */
const PASSWORD_VARIABLE = /^(?:[A-Z\d]+_)*PASS(?:WORD|WD)?$/;
const SHORTEST_PASSWORD = 6;

/** Values of fields, variables, flags and elements with secret names. */
export const namedValues: Finder = {
  hints: [
    'pass',
    'pwd',
    'secret',
    'token',
    'key',
    'auth',
    'cred',
    'kennwort',
    'contrasena',
    'senha',
    'wachtwoord',
  ],
  ignoreCase: true,
  find(text, at, from) {
    const { start, end } = nameAround(text, at, from);
    // A name with several hints is checked once.
    if (end - start > LONGEST_NAME) return [];
    GLUE.lastIndex = end;
    const glue = GLUE.exec(text);
    if (!glue) return [];
    const name = text.slice(start, end);
    const kind = kindOf(name);
    if (!kind) return [];
    const { flag, argument, element, assigned, prose } = glue.groups ?? {};
    const begin = end + glue[0].length;
    if (prose !== undefined) return mentioned(text, begin, name);
    if (flag !== undefined && !isFlag(text, start)) return [];
    if (element !== undefined && text.charAt(start - 1) !== '<' && text.charAt(start - 1) !== ':') return [];
    // A part of a longer name: `arn:aws:secretsmanager:…:secret:name`.
    if (text.charAt(start - 1) === ':' && glue[0] === ':') return [];
    const phrase = /passphrase$/i.test(name) && flag === undefined ? phraseAt(text, begin) : null;
    if (phrase) return [{ ...phrase, name: plain(name), alone: [text.slice(phrase.start, phrase.end)] }];
    const value = valueAt(text, begin);
    if (!value) return [];
    const isData = value.quoted
      ? argument === undefined
      : assigned === undefined || isSetting(text, { start, end: value.end, name, assigned });
    const written = text.slice(value.start, value.end);
    const isVariable = isData && PASSWORD_VARIABLE.test(name);
    const shortest = isVariable ? SHORTEST_PASSWORD : SHORTEST;
    if (!isCredential(written, { kind, isData, quoted: value.quoted || isVariable, shortest })) return [];
    // The vendor of a key says more than its name in the code.
    const [key] = keysIn(written);
    if (key?.start === 0 && key.end === written.length)
      return [{ ...key, start: value.start, end: value.end }];
    return [
      { start: value.start, end: value.end, name: plain(name), alone: looksRandom(written) ? [written] : [] },
    ];
  },
};

/** The same few names recur. */
const kinds = new Map<string, NameKind | null>();
const MOST_KINDS = 2000;

function kindOf(name: string): NameKind | null {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  if (kinds.size >= MOST_KINDS) kinds.clear();
  const kind = credentialName(name);
  kinds.set(name, kind);
  return kind;
}

type Span = { start: number; end: number };

function nameAround(text: string, at: number, from: number): Span {
  let start = at;
  while (start > from && at - start < LONGEST_NAME && isNameChar(text.charCodeAt(start - 1), true)) start--;
  let end = at;
  while (end < text.length && end - at < LONGEST_NAME && isNameChar(text.charCodeAt(end), false)) end++;
  return { start, end };
}

function isNameChar(code: number, dots: boolean): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45 ||
    (dots && code === 46)
  );
}

/** A password in a sentence. */
function mentioned(text: string, at: number, name: string): Cut[] {
  MENTIONED.lastIndex = at;
  const value = MENTIONED.exec(text)?.[0] ?? '';
  return credentialName(name) === 'field' && isMentioned(value)
    ? [{ start: at, end: at + value.length, name: plain(name), alone: [value] }]
    : [];
}

function phraseAt(text: string, at: number): Span | null {
  PHRASE.lastIndex = at;
  const [, quote = '', phrase = ''] = PHRASE.exec(text) ?? [];
  const start = at + quote.length;
  return isPassphrase(phrase) ? { start, end: start + phrase.length } : null;
}

/** An option of a command, or a variable in a Dockerfile. */
function isFlag(text: string, start: number): boolean {
  if (DOCKER_VARIABLE.test(text.slice(Math.max(0, start - 48), start))) return true;
  return (
    /^--?[A-Za-z]/.test(text.slice(start, start + 3)) && /[\s"'[(,=]/.test(text.charAt(start - 1) || ' ')
  );
}

function valueAt(text: string, at: number): (Span & { quoted: boolean }) | null {
  QUOTE.lastIndex = at;
  const opened = QUOTE.exec(text);
  if (opened) {
    const quote = opened[1] ?? '';
    const start = QUOTE.lastIndex;
    const end = closingQuote(text, start, quote);
    return end === null ? null : { start, end, quoted: true };
  }
  FOLDED.lastIndex = at;
  const begin = FOLDED.test(text) ? FOLDED.lastIndex : at;
  BARE.lastIndex = begin;
  const bare = BARE.exec(text)?.[0];
  if (bare === undefined) return null;
  BARE_END.lastIndex = begin + bare.length;
  return BARE_END.test(text) ? { start: begin, end: begin + bare.length, quoted: false } : null;
}

/** Where a quoted text ends: at the same quote with the same escapes. */
function closingQuote(text: string, start: number, quote: string): number | null {
  for (let end = text.indexOf(quote, start); end !== -1 && end - start <= LONGEST_VALUE; ) {
    if (text.charAt(end - 1) !== '\\' || end === start) return end;
    end = text.indexOf(quote, end + 1);
  }
  return null;
}

/**
 * A line with only a name and a value, as in `.env`, YAML, INI and properties; or such a part of a longer
 * one.
 */
function isSetting(
  text: string,
  { start, end, name, assigned }: Span & { name: string; assigned: string },
): boolean {
  // A flag, a URL parameter, a part of a connection string.
  if (name.startsWith('--') || /[;&?]/.test(text.charAt(start - 1))) return true;
  const before = text.slice(Math.max(0, start - 48), start);
  const begins = LINE_START.test(start > 48 ? before : `\n${before}`);
  if (begins && /^[ \t]*(?:[#;][^\n]*)?(?:\r?\n|\\+[nr]|["']|$)/.test(text.slice(end, end + 160)))
    return true;
  return (
    /^[A-Z][A-Z\d_]+$/.test(name) && assigned === '' && /^(?:[\s"';&|\\]|$)/.test(text.slice(end, end + 1))
  );
}

function plain(name: string): string {
  return name.replace(/^[-.]+/, '');
}
