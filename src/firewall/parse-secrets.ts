import path from 'node:path';
import { parseJson } from '../lib/text/json.ts';
import {
  isSecretValue,
  looksLikeToken,
  type NamedSecret,
  nameStrength,
  passwordsInAddress,
} from './looks-secret.ts';

/** Maximum number of secrets from one file. */
const MOST = 500;
/** What a program or this one says of a file is not a setting in it. */
const SENTENCE = /(?:\S+\s+){4}|\w[.)]\s/;

/** The secrets in the text of a protected file. Its name determines the format. */
export function parseSecrets(file: string, text: string): NamedSecret[] {
  const base = path.basename(file).toLowerCase();
  const pairs = pairsOf(base, text);
  const found = pairs.flatMap(({ name, value }) => [
    ...(isSecretValue(value, nameStrength(name)) || isSecretOfFile(name, value) ? [{ name, value }] : []),
    ...passwordsInAddress(value).map((password) => ({ name, value: password })),
  ]);
  const named = found.map(({ name, value }) => ({ name: name || base, value }));
  return [...named, ...privateKeyLines(base, text)].slice(0, MOST);
}

function pairsOf(base: string, text: string): NamedSecret[] {
  if (base.endsWith('netrc')) return netrcPairs(text);
  if (base === '.pgpass') return passwordFields(text, 4);
  if (base === '.htpasswd') return passwordFields(text, 1);
  if (base === '.git-credentials')
    return text.split('\n').map((value) => ({ name: '', value: value.trim() }));
  return jsonLeaves(text) ?? linePairs(text);
}

/** A file is protected because it holds secrets, so the criteria for its values are weaker. */
function isSecretOfFile(name: string, value: string): boolean {
  if (value.length >= 16 && looksLikeToken(value)) return true;
  return nameStrength(name) === 'weak' && /^(?=.*[a-z]\S*[A-Z])\S{12,}$/.test(value);
}

function netrcPairs(text: string): NamedSecret[] {
  return [...text.matchAll(/\bpassword\s+(\S+)/g)].map(([, value = '']) => ({ name: 'password', value }));
}

function passwordFields(text: string, field: number): NamedSecret[] {
  return text.split('\n').map((line) => ({
    name: 'password',
    value: line.trim().split(':').slice(field).join(':').replaceAll('\\:', ':'),
  }));
}

/** Null if the text is not JSON. */
function jsonLeaves(text: string): NamedSecret[] | null {
  if (!/^\s*[{[]/.test(text)) return null;
  const whole = parseJson(text);
  if (whole === undefined) return null;
  const leaves: NamedSecret[] = [];
  const waiting: { name: string; value: unknown }[] = [{ name: '', value: whole }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { name, value } = next;
    if (typeof value === 'string') leaves.push({ name, value });
    else if (Array.isArray(value)) waiting.push(...value.map((inner: unknown) => ({ name, value: inner })));
    else if (typeof value === 'object' && value !== null)
      waiting.push(...Object.entries(value).map(([key, inner]) => ({ name: key, value: inner as unknown })));
  }
  return leaves.reverse();
}

/** `export NAME=value`, `name: value`, `name = "value"`; any other line is a value by itself. */
function linePairs(text: string): NamedSecret[] {
  const lines = text.split(/\r?\n/).map((line) => {
    const parted =
      /^[\s{[,]*(?:export\s+|set\s+|-\s+)?["']?([^\s=:"'#;][^=:"']*?|\/\/[^=\s]+?)["']?\s*(?:=|:(?=\s|$))\s*(.*)$/.exec(
        line,
      );
    return parted && !SENTENCE.test(parted[1] ?? '')
      ? { name: parted[1] ?? '', value: unquoted(parted[2] ?? '') }
      : { name: '', value: unquoted(line) };
  });
  return [...lines, ...quotedBlocks(text)];
}

/** A quoted value over several lines, such as keys in environment files. */
function quotedBlocks(text: string): NamedSecret[] {
  return [...text.matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=\s*(["'])([^"']*\n[^"']*)\2/gm)].map(
    ([, name = '', , value = '']) => ({ name, value }),
  );
}

function unquoted(written: string): string {
  const text = written.trim();
  const quoted = /^(["'])(.*?)\1\s*(?:[#;,].*)?$/.exec(text);
  return quoted ? (quoted[2] ?? '') : text.replace(/\s+[#;].*$/, '').replace(/,$/, '');
}

/** Each line of a private key is secret: a command may print any one of them. */
function privateKeyLines(base: string, text: string): NamedSecret[] {
  const blocks = text.matchAll(/-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----([^-]*)/g);
  return [...blocks].flatMap(([, body = '']) =>
    body
      .split(/\r?\n|\\n/)
      .map((line) => line.trim())
      .filter((line) => line.length >= 24 && /^[\w+/=]+$/.test(line))
      .map((value) => ({ name: base.replace(/^\./, ''), value })),
  );
}
