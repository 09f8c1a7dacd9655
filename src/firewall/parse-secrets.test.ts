import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSecrets } from './parse-secrets.ts';

const valuesIn = (file: string, text: string) => parseSecrets(file, text).map(({ value }) => value);

describe('each kind of file is parsed in its format', () => {
  test.each([
    [
      '.env',
      'PORT=3000\nNODE_ENV=production\nAPI_KEY="k-1234567890ab"\nexport DB_PASSWORD=\'two words\' # x\n',
      ['k-1234567890ab', 'two words'],
    ],
    ['.env', 'STRIPE=a1B2c3D4e5F6g7H8\r\nHOST=db-1.internal.example.org\r\n', ['a1B2c3D4e5F6g7H8']],
    ['.npmrc', '//registry.npmjs.org/:_authToken=abcd-efgh-ijkl\nsave-exact=true\n', ['abcd-efgh-ijkl']],
    ['.npmrc', '//registry.npmjs.org/:_authToken=$' + '{NPM_TOKEN}\n', []],
    [
      '.netrc',
      'machine h login me password s3cr3t-pw\nmachine i\n  login you\n  password other-pw-1\n',
      ['s3cr3t-pw', 'other-pw-1'],
    ],
    ['.pgpass', 'localhost:5432:db:me:a\\:b-c-d-e-f\n', ['a:b-c-d-e-f']],
    ['.htpasswd', 'me:$apr1$x7Yz$abcdefghijk\n', ['$apr1$x7Yz$abcdefghijk']],
    ['.git-credentials', 'https://me:pw-of-mine-9@example.org\n', ['pw-of-mine-9']],
    [
      '.aws/credentials',
      '[default]\nregion = eu-central-1\naws_secret_access_key = a/b+c/d+e1f2\n',
      ['a/b+c/d+e1f2'],
    ],
    ['config.json', '{"auths":{"r.io":{"auth":"dXNlcjpwYXNz"}},"n":1,"list":["x",null]}', ['dXNlcjpwYXNz']],
    [
      'secrets.yml',
      'db:\n  host: localhost\n  password: "pa ss w0rd"\n  - token: t0ken-t0ken\n',
      ['pa ss w0rd', 't0ken-t0ken'],
    ],
    ['secrets.toml', 'title = "x"\nsecret = "sss-ttt-uuu" # why\n', ['sss-ttt-uuu']],
    ['token.txt', 'kJ8sD7fG6hJ5kL4zX3cV\n', ['kJ8sD7fG6hJ5kL4zX3cV']],
    ['broken.json', '{ "apiKey": "abc-def-ghi",\n', ['abc-def-ghi']],
  ])('%s: %j', (file, text, values) => expect(valuesIn(file, text)).toEqual(values));
});

test('each line of a private key is secret', () => {
  const lines = ['b3BlbnNzaC1rZXktdjEAAAAABG5vbmU', 'QyNTUxOQAAACDx9yT3k2l1m0n9b8v7c6'];
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
  expect(valuesIn('id_ed25519', key)).toEqual(expect.arrayContaining(lines));
  expect(valuesIn('sa.json', JSON.stringify({ private_key: key }))).toEqual(
    expect.arrayContaining([key, ...lines]),
  );
});

test('any text is parsed without errors, and secrets in it are found unless too short', () => {
  const files: [file: string, write: (value: string, other: string) => string][] = [
    ['.env', (value, other) => `${other}\nDB_PASSWORD=${value}\n${other}`],
    ['.netrc', (value, other) => `${other}\nmachine h login me password ${value}\n${other}`],
    ['a.json', (value, other) => JSON.stringify({ note: other, password: value })],
    ['b.yml', (value, other) => `${other}\npassword: ${value}\n${other}`],
    ['.pgpass', (value, other) => `${other}\nh:5432:db:me:${value}\n${other}`],
  ];
  const secret = fc.stringMatching(/^[a-z]\d[a-z\d]{0,14}$/);
  fc.assert(
    fc.property(fc.constantFrom(...files), secret, fc.string(), ([file, write], value, other) => {
      const found = valuesIn(file, write(value, other));
      expect(found.filter(({ length }) => length < 8)).toEqual([]);
      expect(found.includes(value)).toBe(value.length >= 8);
    }),
    { numRuns: 500 },
  );
  expect(parseSecrets('.env', 'A_TOKEN=abcdefghij\n'.repeat(5000)).length).toBe(500);
});
