import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../test/support/seeded-bytes.ts';
import { sweep } from '../../test/support/soak.ts';
import { createFirewall } from './firewall.ts';

const bytes = seededBytes('private keys');

const wall = () => createFirewall({ secrets: [], key: () => 'k' });

const folded = (body: Buffer, width: number) =>
  body
    .toString('base64')
    .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n')
    .trimEnd();
const armour = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const pem = (
  type: 'pkcs1' | 'pkcs8' | 'sec1',
  pair: { privateKey: { export(options: object): string | Buffer } },
  cipher?: string,
) => String(pair.privateKey.export({ type, format: 'pem', ...(cipher && { cipher, passphrase: 'x' }) }));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');

/** Generated at test time; each with the lines of its body. */
const keys: [kind: string, text: string][] = [
  ['RSA, PKCS#1', pem('pkcs1', rsa)],
  ['RSA, PKCS#8', pem('pkcs8', rsa)],
  ['RSA, PKCS#8, encrypted', pem('pkcs8', rsa, 'aes-256-cbc')],
  ['RSA, PKCS#1, encrypted with headers', pem('pkcs1', rsa, 'aes-128-cbc')],
  ['EC, SEC1', pem('sec1', ec)],
  ['EC, PKCS#8', pem('pkcs8', ec)],
  ['Ed25519, PKCS#8', pem('pkcs8', ed)],
  ['DSA', armour('DSA PRIVATE KEY', folded(bytes(800), 64))],
  [
    'OpenSSH',
    armour('OPENSSH PRIVATE KEY', folded(Buffer.concat([Buffer.from('openssh-key-v1\0'), bytes(400)]), 70)),
  ],
  ['PGP', armour('PGP PRIVATE KEY BLOCK', `Version: GnuPG v2\n\n${folded(bytes(900), 64)}\n=aB3d`)],
];

const bodyLines = (text: string) => text.split('\n').filter((line) => /^[A-Za-z\d+/]{16,}={0,2}$/.test(line));

const printed: [how: string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
  [
    'numbered by Read',
    (text) =>
      text
        .split('\n')
        .map((line, i) => `${i + 1}\t${line}`)
        .join('\n'),
  ],
  [
    'numbered with blanks',
    (text) =>
      text
        .split('\n')
        .map((line, i) => `${String(i + 1).padStart(6)}\t${line}`)
        .join('\n'),
  ],
  [
    'found by grep -n',
    (text) =>
      text
        .split('\n')
        .map((line, i) => `${i + 1}:${line}`)
        .join('\n'),
  ],
  [
    'added by a patch',
    (text) =>
      text
        .split('\n')
        .map((line) => `+${line}`)
        .join('\n'),
  ],
  [
    'removed by a patch',
    (text) =>
      text
        .split('\n')
        .map((line) => `-${line}`)
        .join('\n'),
  ],
  [
    'indented in YAML',
    (text) =>
      `key: |\n${text
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}`,
  ],
  [
    'quoted in a mail',
    (text) =>
      text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n'),
  ],
  ['in JSON', (text) => JSON.stringify({ private_key: text, other: 1 })],
  ['in JSON in JSON', (text) => JSON.stringify({ body: JSON.stringify({ k: text }) })],
  [
    'joined in code',
    (text) =>
      text
        .split('\n')
        .map((line) => `  "${line}\\n" +`)
        .join('\n'),
  ],
  ['without its end', (text) => text.slice(0, text.indexOf('-----END'))],
  ['cut in the middle', (text) => text.slice(0, Math.floor(text.length * 0.6))],
];

describe.each(keys)('%s', (_kind, text) => {
  test.each(printed)('%s: is hidden completely, and restored exactly', (_how, print) => {
    const firewall = wall();
    const given = `some notes\n${print(text)}\nmore notes`;
    const hidden = firewall.hide(given);
    for (const line of bodyLines(text))
      for (const part of [line.slice(0, 24), line.slice(-24)]) expect(hidden).not.toContain(part);
    expect(hidden).toContain('[secret:private-key:');
    expect(hidden).toMatch(/^some notes\n[\s\S]*BEGIN [A-Z ]*PRIVATE KEY/);
    expect(firewall.restore(hidden)).toBe(given);
  });

  test('once seen as a whole, each of its lines is known', () => {
    const firewall = wall();
    firewall.learn(text);
    for (const line of bodyLines(text).filter(({ length }) => length >= 24)) {
      expect(firewall.hide(`x ${line} y`)).toMatch(/^x \+*\[secret:private-key:\w+\] y$/);
      expect(firewall.hide(Buffer.from(line).toString('base64'))).not.toContain(
        Buffer.from(line).toString('base64').slice(4, -6),
      );
    }
  });
});

test('a short last line that begins with plus signs is known, too', () => {
  const firewall = wall();
  firewall.learn(armour('PRIVATE KEY', `${folded(bytes(96), 64)}\n+++I1t+y9Kl2SfTfttc9FKui`));
  expect(firewall.hide('x +++I1t+y9Kl2SfTfttc9FKui y')).toMatch(/^x \+*\[secret:private-key:\w+\] y$/);
});

test.each([
  ['OpenSSH', keys[8]?.[1] ?? ''],
  ['RSA, PKCS#1', keys[0]?.[1] ?? ''],
  ['RSA, PKCS#8', keys[1]?.[1] ?? ''],
  ['EC, SEC1', keys[4]?.[1] ?? ''],
  ['EC, PKCS#8', keys[5]?.[1] ?? ''],
  ['Ed25519, PKCS#8', keys[6]?.[1] ?? ''],
])('%s: the body without its first and last line is recognized by its start', (_kind, text) => {
  const lines = bodyLines(text);
  for (const body of [lines.join('\n'), lines.join('')]) {
    const hidden = wall().hide(`x\n${body}\n`);
    for (const line of lines) expect(hidden).not.toContain(line.slice(0, 16));
  }
});

const rsaStarts = {
  'PKCS#1': '020100028201',
  'PKCS#1, 1,024 bits': '020100028181',
  'PKCS#8': '020100300d06092a864886f70d01010105000482',
};

sweep([11, 1])('the start of an RSA key is recognized whatever its length (every %i bytes)', (step) => {
  for (const start of Object.values(rsaStarts)) {
    for (let length = 300; length < 4096; length += step) {
      const head = Buffer.from([0x30, 0x82, length >> 8, length & 255]);
      const body = Buffer.concat([head, Buffer.from(start, 'hex'), bytes(120)]);
      const lines = folded(body, 64).split('\n');
      const hidden = wall().hide(`x\n${lines.join('\n')}\n`);
      for (const line of lines) expect(hidden).not.toContain(line.slice(0, 16));
    }
  }
});

test('a PuTTY key: its private lines', () => {
  const lines = folded(bytes(300), 64).split('\n');
  const file = `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\nAAAAC3NzaC1lZDI1NTE5AAAAIPUB\nAAAA\nPrivate-Lines: ${lines.length}\n${lines.join('\n')}\nPrivate-MAC: 00\n`;
  const hidden = wall().hide(file);
  for (const line of lines) expect(hidden).not.toContain(line.slice(0, 12));
  expect(hidden).toContain('AAAAC3NzaC1lZDI1NTE5AAAAIPUB');
});

test.each([
  ['RSA', rsa],
  ['EC', ec],
  ['Ed25519', ed],
])('%s as a JSON Web Key: the private members, in any order', (_kind, pair) => {
  const jwk = pair.privateKey.export({ format: 'jwk' }) as Record<string, string>;
  const open = pair.publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const texts = [
    JSON.stringify(jwk),
    JSON.stringify(jwk, null, 2),
    JSON.stringify(Object.fromEntries(Object.entries(jwk).reverse())),
    JSON.stringify({ text: JSON.stringify({ keys: [jwk] }) }),
  ];
  for (const text of texts) {
    const firewall = wall();
    const hidden = firewall.hide(text);
    for (const [name, value] of Object.entries(jwk)) expect(hidden.includes(value)).toBe(name in open);
    expect(firewall.restore(hidden)).toBe(text);
  }
  expect(wall().hide(JSON.stringify(open))).toBe(JSON.stringify(open));
});

test('a base64-encoded key is recognized, a certificate is not taken for one', () => {
  const twice = Buffer.from(pem('pkcs8', rsa)).toString('base64');
  expect(wall().hide(`client-key-data: ${twice}\n`)).toMatch(/^client-key-data: \[secret:[\w-]+:\w+\]\n$/);
  const certificate = Buffer.from(armour('CERTIFICATE', folded(bytes(600), 64))).toString('base64');
  const line = `certificate-authority-data: ${certificate}\n`;
  expect(wall().hide(line)).toBe(line);
});

test.each([
  armour('PUBLIC KEY', folded(bytes(300), 64)),
  armour('CERTIFICATE', folded(bytes(900), 64)),
  armour('PGP PUBLIC KEY BLOCK', folded(bytes(300), 64)),
  armour('PGP SIGNATURE', folded(bytes(300), 64)),
  "if (text.includes('-----BEGIN PRIVATE KEY-----')) return true;",
  'const pattern = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;\nconst somethingElseEntirely = readFileSync(path);',
  '`-----BEGIN PRIVATE KEY-----\\n$' + '{body}\\n-----END PRIVATE KEY-----`',
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
  'PRIVATE KEY',
  "const beginnings = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASC'];",
  `ssh-rsa ${bytes(270).toString('base64')} me@host`,
])('public data stays: %j', (text) => expect(wall().hide(text)).toBe(text));
