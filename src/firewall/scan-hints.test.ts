import { expect } from 'vitest';
import { cpuMs } from '../../test/support/cpu-time.ts';
import { sweep } from '../../test/support/soak.ts';
import { createFirewall } from './firewall.ts';
import { keyFormats } from './keys/key-formats.ts';
import { piecesOf } from './keys/key-template.ts';

const firewall = createFirewall({ secrets: [], key: () => 'k' });
const SIZE = 100_000;
const filled = (text: string) => text.repeat(Math.ceil(SIZE / text.length)).slice(0, SIZE);

/** Text with many false starts of secrets. */
const hostile: [what: string, text: string][] = [
  ...[
    'token=',
    'token="',
    "token='",
    'token=\\"',
    'password: ',
    'password:\n',
    'token"',
    'token": {',
    'token" value=',
    '<password>',
    '<password ',
    '--password ',
    'a-token-',
    'secret_key',
    'tokentoken',
    'pass',
    'key',
    'auth.',
    'token|\n  ',
    'token: |\n ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN PRIVATE KEY-----\nabcdefghijklmnop',
    '-----BEGIN ',
    'PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----"+\n"',
    '-----BEGIN PRIVATE KEY-----\n+',
    'Private-Lines: 9\n',
    'LS0tLS1CRUdJT',
    'b3BlbnNzaC1rZXktdjE',
    'MHcCAQEEI\n',
    'kind: Secret\n',
    'kind: Secret\ndata:\n',
    'data:\n  a: b\n',
    '"kind":"Secret"',
    '"data":{',
    '"kty',
    '"kty":"',
    '{"kty"',
    '{"kty":"RSA",',
    '://',
    '://a:',
    '://a:b',
    'eyJ',
    'eyJabcdefghij.',
    'eyJabcdefghij.eyJ',
    'MTA',
    'authorization: bearer ',
    'bearer ',
    'bearer a',
    'login a password ',
    'login ',
    ':5432:',
    ':*:*:',
    ' -u ',
    ' -u a:',
    'sig=',
    '[secret:',
    '[secret:a:',
    'hooks.slack.com/services/',
    '"',
    '\\',
    '\\"',
    "'",
    '\n',
    ' ',
    'a',
    '0',
    'A1',
    '=',
    ':',
    '- ',
    '+',
    '\u{1F600}',
    '\u0000',
  ].map((text): [string, string] => [JSON.stringify(text), filled(text)]),
  ...keyFormats.flatMap(([, ...templates]) =>
    templates.slice(0, 1).map((template): [string, string] => {
      const start = piecesOf(template)
        .map((piece) =>
          piece.type === 'text' ? piece.text : 'a'.repeat(piece.min === 0 ? 0 : piece.min - 1),
        )
        .join('');
      return [template, filled(start)];
    }),
  ),
];

// A backtracking search would take minutes for these; this one takes milliseconds.
sweep(hostile, 10)('takes linear time: %s', (_what, text) => {
  const started = cpuMs();
  const hidden = firewall.hide(text);
  const took = cpuMs() - started;
  expect(firewall.restore(hidden)).toBe(text);
  expect(took).toBeLessThan(4000);
});
