import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFirewall } from './firewall.ts';

const wall = () => createFirewall({ secrets: [], key: () => 'k' });
const hide = (text: string) => wall().hide(text);

// Assembled here, so that secret scanners don't flag this repository.
const fake = (prefix: string, length: number) => prefix + 'aB3dE5gH7jK9mN1pQ2rS'.repeat(20).slice(0, length);
const hex = (length: number) => '0123456789abcdef'.repeat(20).slice(0, length);
const token = fake('ghp_', 36);
const password = 'Tr0ub4dor-x3';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** What of the text must not stay, and the text. */
const secrets: [name: string, secret: string, text: string][] = [
  ['a GitLab runner token', fake('glrt-', 20), `token: ${fake('glrt-', 20)}`],
  ['one with letters only', 'glrt-aBcDeFgHiJkLmNoPqRsT', 'runner glrt-aBcDeFgHiJkLmNoPqRsT registered'],
  ['one with its shard', fake('glrt-', 27), `${fake('glrt-', 27)}.01.${fake('', 9)}`],
  ['a Telegram token', fake('123456789:AA', 33), `TG=${fake('123456789:AA', 33)}`],
  [
    'a Telegram token in an address',
    fake('AA', 33),
    `https://api.telegram.org/bot123456789:${fake('AA', 33)}/getMe`,
  ],
  ['base64 of a token', base64(token).slice(4, -4), base64(token)],
  ['base64 of a line with a token', base64(`t=${token}\n`).slice(8, -8), `data: ${base64(`t=${token}\n`)}`],
  ['URL-safe base64', token, Buffer.from(`{"t":"${token}"}`).toString('base64url')],
  ['hex of a token', Buffer.from(token).toString('hex'), Buffer.from(token).toString('hex')],
  [
    'upper-case hex',
    Buffer.from(token).toString('hex').toUpperCase(),
    `x ${Buffer.from(token).toString('hex').toUpperCase()}`,
  ],
  ['a reversed token', [...token].reverse().join(''), `a\n${[...token].reverse().join('')}\nb`],
  ['a token with a color inside', token.slice(12), `${token.slice(0, 12)}\x1b[1;31m${token.slice(12)}`],
  ['a token that is colored', token, `\x1b[32m${token}\x1b[0m`],
  ['a colored name and value', password, `\x1b[36mpassword\x1b[0m: \x1b[33m"${password}"\x1b[0m`],
  ['a color in JSON', token.slice(12), JSON.stringify(`${token.slice(0, 12)}\x1b[1m${token.slice(12)}`)],
  ['a zero-width space inside', token.slice(12), `${token.slice(0, 12)}\u200b${token.slice(12)}`],
  ['a soft hyphen inside', token.slice(12), `${token.slice(0, 12)}\u00ad${token.slice(12)}`],
  [
    'a zero-width space in a password',
    password.slice(4),
    `password: "${password.slice(0, 4)}\u200b${password.slice(4)}"`,
  ],
  ['a Dockerfile', fake('', 24), `FROM x\nENV SECRET_KEY ${fake('', 24)}\nRUN y\n`],
  ['a Dockerfile, numbered', fake('', 24), `     1\tFROM x\n     2\tENV API_TOKEN ${fake('', 24)}\n`],
  ['an argument of a Dockerfile', fake('', 24), `ARG NPM_TOKEN ${fake('', 24)}`],
  ['CSV', password, `user,password\nann,${password}\nbob,s3cr3t-Pw9!\n`],
  ['CSV, later rows', 's3cr3t-Pw9!', `user,password\nann,${password}\nbob,s3cr3t-Pw9!\n`],
  ['CSV, quoted', password, `"name","client_secret","x"\r\n"a,b","${password}","1"\r\n`],
  ['semicolons', password, `id;Passwort;Ort\n1;${password};Ulm\n`],
  ['tabs', fake('', 20), `name\tapi_key\nx\t${fake('', 20)}\n`],
  ['a name with escapes', password, `{"pass\\u0077ord": "${password}"}`],
  ['a value with escapes', password.slice(2), `{"password": "\\u0054r${password.slice(2)}"}`],
  ['a passphrase', 'correct horse battery staple', 'passphrase: "correct horse battery staple"'],
  ['a passphrase in a setting', 'nine lamps turn green', 'GPG_PASSPHRASE=nine lamps turn green\nA=1\n'],
  ['a hyphenated passphrase', 'mulch-orbit-tennis-lake7', 'ssh_passphrase = "mulch-orbit-tennis-lake7"'],
  ['a session cookie', fake('', 32), `Cookie: sessionid=${fake('', 32)}`],
  ['a later cookie', fake('', 26), `cookie: theme=dark; lang=en; PHPSESSID=${fake('', 26)}; a=b`],
  ['a cookie that is set', fake('', 40), `< Set-Cookie: connect.sid=s%3A${fake('', 40)}; Path=/; HttpOnly`],
  ['German', password, `Passwort: ${password}`],
  ['German, another word', password, `Kennwort = "${password}"`],
  ['Portuguese', password, `senha: "${password}"`],
  ['a sentence', 'Tr0ub4dor&3', 'the admin password is Tr0ub4dor&3'],
  ['a sentence that ends', 'Tr0ub4dor&3', 'The root password is now `Tr0ub4dor&3`. Keep it.'],
  ['a German sentence', password, `Das Passwort ist ${password}, bitte ändern.`],
  ['a short password', 'hunter2', 'PASSWORD=hunter2'],
  ['a short password of a database', 'hunter2', 'A=1\nPOSTGRES_PASSWORD=hunter2\nB=2\n'],
];

test.each(secrets)('%s', (_name, secret, text) => {
  const firewall = wall();
  for (const around of [text, `${text}\n`, `x\n${text}\ny\n`]) {
    const hidden = firewall.hide(around);
    expect(hidden).not.toContain(secret);
    expect(hidden).toMatch(/\[secret:[\w.-]+:[0-9a-f]{8}\]/);
    expect(firewall.restore(hidden)).toBe(around);
  }
});

const uuid = '123e4567-e89b-12d3-a456-426614174000';
const sri = `sha512-${base64(hex(64))}`;
const lookAlikes: string[] = [
  // Hashes, digests and identifiers.
  hex(32),
  hex(40),
  hex(64),
  hex(128),
  hex(64).toUpperCase(),
  `commit ${hex(40)}`,
  `index ${hex(7)}..${hex(8).slice(1)} 100644`,
  `sha256:${hex(64)}`,
  `image: redis@sha256:${hex(64)}`,
  `github.com/a/b v1.2.3 h1:${base64(hex(32)).slice(0, 43)}=`,
  `"integrity": "${sri}"`,
  `<script integrity="sha384-${base64(hex(48))}" crossorigin="anonymous">`,
  `checksum = "${hex(64)}"`,
  `--hash=sha256:${hex(64)}`,
  `ETag: "${hex(32)}"`,
  `"id": "${uuid}"`,
  uuid.replaceAll('-', ''),
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'cjld2cjxh0000qzrmn831i7rn',
  '507f1f77bcf86cd799439011',
  'arn:aws:iam::123456789012:role/deploy-role',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==',
  'revision: 7d9f3c2e5a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d',
  // Public material.
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8Vb8JKq1v7cX0aB3dE5gH7jK9mN1pQ2rS4tU6vW8x user@host',
  `ssh-rsa AAAAB3NzaC1yc2E${fake('', 200)} user@host`,
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUJ8Vb8JKq1v7cX0aB3dE5gH7jK9mNMAoGCCqGSM49BAMC\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEabcdefghijklmnopqrstuvwxyz01\n-----END PUBLIC KEY-----',
  '{"keys":[{"kty":"RSA","kid":"a1b2","use":"sig","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4","e":"AQAB"}]}',
  `NEXT_PUBLIC_STRIPE_KEY=pk_live_${hex(24)}`,
  'aws_access_key_id = AKIAIOSFODNN7EXAMPLE',
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  '"SecretAccessKey": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"',
  `SENTRY_DSN=https://${hex(32)}@o12345.ingest.sentry.io/678`,
  `Sentry.init({ dsn: "https://${hex(32)}@sentry.example.org/6" });`,
  `recaptchaSiteKey: "6L${'e'.repeat(6)}AAAAAExampleSiteKeyOnly"`,
  // Data.
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  `data:application/json;base64,${base64('{"version":3,"sources":["a.ts","b.ts"],"names":[]}')}`,
  base64('The quick brown fox jumps over the lazy dog, twice and then once more.'),
  Buffer.from('The quick brown fox jumps over the lazy dog').toString('hex'),
  'createUserAccountPermissionHandlerFactoryProviderImplementation',
  'a-very-long-class-name-of-a-component--with-modifier__and-element',
  'function a(b){return b&&b.c?b.c(d,e):null}var f=a(g),h=f.i;',
  'user,name,description\n1,ann,likes cats\n2,bob,likes dogs\n',
  'token,count,kind\nthe,12000,word\nnode2vec,3,name\n',
  'key,value,note\nuser.profile.title,Profil,ok\nuser.profile.save2,Sichern,ok\n',
  'password,confirm,email\nrequired,required,optional\n',
  // Words about secrets.
  'Passwort: mindestens8',
  '"passwordHint": "Mindestens 8 Zeichen und 1 Zahl"',
  'passphrase: "Enter the passphrase of your key"',
  'passphrase: "the passphrase must not be empty"',
  'passphrase = getpass("Passphrase of the key: ")',
  'The password is required.',
  'The password is at least 8 characters long.',
  'Your password is Base64-encoded and SHA-256-hashed first.',
  'the token is expired since 2024-01-01T00:00:00Z',
  'Das Passwort ist zu kurz.',
  'PASSWORD=test12',
  'PASSWORD=admin1',
  'PASSWORD=$PGPASS',
  'ENV NODE_VERSION 20.19.43',
  'ENV PATH /usr/local/bin:$PATH',
  'Cookie: theme=dark2; lang=en; consent=2024-01-01-all-of-them',
  'Set-Cookie: sessionid=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
  '"usage": { "input_tokens": 128000, "cache_read_input_tokens": 1234567 }',
  'process.env["SECRET_KEY"] ?? config.secretKey2',
  '\x1b[32m✓\x1b[0m src/auth/password.test.ts \x1b[2m(12 tests)\x1b[22m 345\x1b[2mms\x1b[22m',
  '{"title": "Schl\\u00fcssel f\\u00fcr T\\u00fcr 2"}',
];

test.each(lookAlikes)('stays: %s', (text) => {
  for (const around of [text, `  ${text}\n`, `x\n${text}\ny\n`]) expect(hide(around)).toBe(around);
});

describe('marks inside', () => {
  const mark = fc.constantFrom('\x1b[1m', '\x1b[0;31m', '\x1b[m', '\u200b', '\u200d', '\ufeff', '\u00ad');

  test('a token is hidden wherever marks are, with nothing else of the text, and restored', () => {
    const places = fc.array(fc.tuple(fc.nat(token.length), mark), { maxLength: 6 });
    fc.assert(
      fc.property(places, fc.string(), fc.string(), (marks, before, after) => {
        let marked = token;
        for (const [at, text] of marks.toSorted((a, b) => b[0] - a[0]))
          marked = marked.slice(0, at) + text + marked.slice(at);
        const text = `${before} ${marked} ${after}`;
        const firewall = wall();
        const hidden = firewall.hide(text);
        expect(hidden).not.toContain(token.slice(-12));
        expect(hidden.startsWith(`${before} `)).toBe(true);
        expect(hidden.endsWith(` ${after}`)).toBe(true);
        expect(firewall.restore(hidden)).toBe(text);
      }),
    );
  });

  test('a known value is found, too', () => {
    const value = fake('', 24);
    const firewall = createFirewall({ secrets: [() => [{ name: 'X', value }]], key: () => 'k' });
    expect(firewall.hide(`a ${value.slice(0, 5)}\x1b[0m${value.slice(5)} b`)).toMatch(
      /^a \[secret:X:[0-9a-f]{8}\] b$/,
    );
  });
});

test('texts that are hard to search take little time', () => {
  const texts = [
    'cookie: '.repeat(20_000),
    `cookie: ${'a=1; '.repeat(40_000)}`,
    'password is '.repeat(20_000),
    `passphrase: ${'word '.repeat(40_000)}`,
    'user,password\n'.repeat(20_000),
    `${'password,'.repeat(200)}\n${'a,'.repeat(200)}\n`.repeat(50),
    '\\u0041'.repeat(40_000),
    '\x1b[1m'.repeat(50_000),
    'A'.repeat(300_000),
    `${'a1B2'.repeat(6)} `.repeat(10_000),
  ];
  for (const text of texts) {
    const started = performance.now();
    hide(text);
    expect(performance.now() - started, text.slice(0, 30)).toBeLessThan(3_000);
  }
});
