import type { Cut, Finder } from './scan-hints.ts';

const NAME = 'private-key';
/** Maximum length of one key, in any armor. */
const LONGEST = 64 * 1024;
/** Maximum length of a JSON Web Key, and of what is read of an unterminated one. */
const WEB_KEY = 8192;
const WEB_KEY_CUT = 2048;
/** Shorter lines are not secrets by themselves: they appear by chance. */
const SHORTEST_LINE = 20;

/**
 * What separates the lines of a key: line endings, also escaped ones, and prefixes added by editors, searches
 * and patches.
 */
const GAP = String.raw`(?:\s|\\+[nr]|["'+,|>*#-](?=\s|\\|["'])|(?<=\s)["']|(?<=[\n\r][ \t]{0,10})(?:\d{1,7}[\t:-]|[-+>|#*]+))*`;
const BODY_LINE = new RegExp(`${GAP}([A-Za-z\\d+/]{16,}={0,3})`, 'y');
const LAST_LINE = new RegExp(`${GAP}(=?[A-Za-z\\d+/]{1,15}={0,3})(?=\\s|\\\\|["'\`<-]|$)`, 'y');
/** Headers of an encrypted key, or added by a program. */
const HEADER = new RegExp(
  `${GAP}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[^\\n\\\\]*`,
  'y',
);

/** `-----BEGIN … PRIVATE KEY-----` of OpenSSL, OpenSSH and PGP. */
const armoured: Finder = {
  hints: ['PRIVATE KEY'],
  find(text, at, from) {
    const opening = /PRIVATE KEY(?: BLOCK)?-----/y;
    opening.lastIndex = at;
    const [opened] = opening.exec(text) ?? [];
    if (opened === undefined || !/-----BEGIN [A-Z\d ]{0,40}$/.test(text.slice(Math.max(0, at - 52), at)))
      return [];
    return bodyCuts(text, at + opened.length, from);
  },
};

/** The start of an elliptic-curve or OpenSSH key whose first line was not printed, or that never had one. */
const bare: Finder = {
  hints: [
    'b3BlbnNzaC1rZXktdjE',
    'MC4CAQAwBQYDK2Vw',
    'MFECAQEwBQYDK2Vw',
    'MIGHAgEAMBMGByqGSM49',
    'MIG2AgEAMBAGByqGSM49',
    'MIHuAgEAMBAGByqGSM49',
    'MHcCAQEEI',
    'MIGkAgEBBDA',
    'MIHcAgEBBEI',
  ],
  find: bareCuts,
};

/**
 * The same for RSA and DSA keys (PKCS#1 and PKCS#8). These begin with `MII`, their length in three characters, and
 * the version.
 */
const bareRsa: Finder = {
  hints: ['IBADANBgkqhkiG9w0BAQEFAAS', 'IBAAKC', 'IBAAKB'],
  find: (text, at, from) =>
    /^MII[A-Za-z\d+/]{2}[AQgw]$/.test(text.slice(Math.max(0, at - 6), at))
      ? bareCuts(text, at - 6, from)
      : [],
};

/** PuTTY states the number of private lines. */
const putty: Finder = {
  hints: ['Private-Lines:'],
  find(text, at, from) {
    const head = /Private-Lines: ?(\d{1,3})/y;
    head.lastIndex = at;
    const said = head.exec(text);
    return said ? bodyCuts(text, at + said[0].length, from) : [];
  },
};

/** A base64-encoded key, as in a kubeconfig or a CI variable. */
const encoded: Finder = {
  hints: ['LS0tLS1CRUdJT'],
  find(text, at, from) {
    const [head = ''] = /^[A-Za-z\d+/]{40,120}/.exec(text.slice(at, at + 120)) ?? [];
    if (!Buffer.from(head, 'base64').toString('latin1').includes('PRIVATE KEY')) return [];
    return bodyCuts(text, at, from);
  },
};

/** A JSON Web Key: its private members, in any position. */
const webKey: Finder = {
  hints: ['"kty', "'kty"],
  find(text, at, from) {
    if (!/^.kty\\*["']\s*:\s*\\*["'](?:RSA|EC|OKP|oct)/.test(text.slice(at, at + 40))) return [];
    const before = text.slice(Math.max(from, at - WEB_KEY), at);
    const start = at - before.length + Math.max(0, before.lastIndexOf('{'));
    const after = text.slice(at, at + WEB_KEY);
    const close = after.indexOf('}');
    const end = at + (close === -1 ? Math.min(after.length, WEB_KEY_CUT) : close);
    const members = text
      .slice(start, end)
      .matchAll(/(\\*["'])(?:d|p|q|dp|dq|qi|k)\1\s*:\s*\1([\w-]{16,})\1/g);
    return [...members].map(({ 0: whole, 1: quote = '', 2: value = '', index }) => {
      const begin = start + index + whole.length - quote.length - value.length;
      return { start: begin, end: begin + value.length, name: 'jwk', alone: [value] };
    });
  },
};

export const privateKeyFinders: readonly Finder[] = [armoured, bare, bareRsa, putty, encoded, webKey];

function bareCuts(text: string, at: number, from: number): Cut[] {
  // Every first line of such a key is longer; its start alone reveals nothing.
  return /^[A-Za-z\d+/]{40}/.test(text.slice(at, at + 40)) ? bodyCuts(text, at, from) : [];
}

/**
 * Each line of a key separately, so that line numbers, patch markers and line endings around them stay; a key
 * on a single line with escaped line endings as a whole.
 */
function bodyCuts(text: string, at: number, from: number): Cut[] {
  const lines: { start: number; end: number }[] = [];
  let place = at;
  const take = (line: RegExp): boolean => {
    line.lastIndex = place;
    const found = line.exec(text);
    if (!found) return false;
    place = line.lastIndex;
    const [, body] = found;
    if (body !== undefined) lines.push({ start: place - body.length, end: place });
    return true;
  };
  while (place - at < LONGEST && (take(BODY_LINE) || (lines.length === 0 && take(HEADER))));
  if (lines.length === 0) return [];
  // A short line ends a key; PGP adds a checksum.
  while (take(LAST_LINE) && text.charAt(place - 1) === '=');
  if (lines.every(({ start, end }) => isPlainWord(text.slice(start, end)))) return [];
  const bodies = lines.map(({ start, end }) => text.slice(start, end));
  const alone = bodies.filter(({ length }) => length >= SHORTEST_LINE);
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last || first.start < from) return [];
  if (!text.slice(first.start, last.end).includes('\n'))
    return [{ start: first.start, end: last.end, name: NAME, alone }];
  return lines.map(({ start, end }) => ({
    start,
    end,
    name: NAME,
    alone: alone.filter((line) => line === text.slice(start, end)),
  }));
}

/** In code that generates or searches keys, a name follows in place of a key. */
function isPlainWord(line: string): boolean {
  return line.length < 40 && !(/\d/.test(line) && /[a-z]/.test(line) && /[A-Z]/.test(line));
}
