import { expect, test } from 'vitest';
import { envSecrets } from './env-secrets.ts';

/** What is hidden of one variable. */
const hiddenOf = (name: string, value: string) => envSecrets({ [name]: value }).map((secret) => secret.value);

test.each([
  ['GITHUB_TOKEN', 'abcdefgh'],
  ['DB_PASSWORD', 'correct horse battery'],
  ['PGPASSWORD', 'hunter2hunter2'],
  ['MYSQL_PWD', 'q8w7e6r5'],
  ['CLIENT_SECRET', 'canary-value-one'],
  ['SESSION_COOKIE', 'sid=1f2e3d4c5b6a'],
  ['npm_config__authToken', 'k3n2m1l0k9j8'],
  ['AWS_SECRET_ACCESS_KEY', '/Ab1+Cd2/Ef3+Gh4/Ij5+Kl6/Mn7+Op8/Qr9+Xy'],
  ['ENCRYPTION_KEY', '9f86d081884c7d659a2feaa0c55ad015'],
  ['AUTH', 'dXNlcjpwYXNzd29yZDEyMw=='],
  ['openaiApiKey', 'whatever-it-is'],
  ['PRIVATE_KEY', '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----'],
])('%s is secret', (name, value) => expect(hiddenOf(name, value)).toEqual([value]));

test.each([
  ['GITHUB_TOKEN', 'short'],
  ['PATH', '/usr/bin:/bin'],
  ['AUTHOR', 'Jane Q. Doe 1970'],
  ['KEYBOARD_LAYOUT', 'us-international'],
  ['SSH_AUTH_SOCK', '/tmp/ssh-abc123/agent.42'],
  ['TOKEN_LIMIT', '100000000'],
  ['SECRET_FILE', '/run/secrets/database'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/user/key.json'],
  ['POSTGRES_PASSWORD', 'postgres'],
  ['API_TOKEN', 'changeme'],
  ['API_TOKEN', '$REAL_TOKEN'],
  ['API_TOKEN', '<your token>'],
  ['API_TOKEN', 'xxxxxxxxxxxx'],
  ['AUTH_MODE', 'oauth2-with-pkce'],
  ['AUTH_REGION', 'eu-central-1'],
  ['AUTH_DOMAIN', 'login.example.org'],
  ['KEY_VERSION_LABEL', 'release-2024'],
  ['STRIPE_PUBLIC_KEY', 'pk_4eC39HqLyjWDarjtT1zdp7dc'],
  ['AUTH_URL', 'https://login.example.org/oauth2/v2'],
  ['PASSWORD', '20240131'],
])('%s=%s is not', (name, value) => expect(hiddenOf(name, value)).toEqual([]));

test('the password of a URL is secret, as written and decoded', () => {
  expect(hiddenOf('DATABASE_URL', 'postgres://app:p%40ss-word-9@db:5432/app')).toEqual([
    'p%40ss-word-9',
    'p@ss-word-9',
  ]);
  expect(hiddenOf('DATABASE_URL', 'postgres://postgres:postgres@localhost/app')).toEqual([]);
  expect(hiddenOf('HOMEPAGE', 'https://example.org:8443/a@b')).toEqual([]);
});

test('a key variable is always secret', () => {
  const env = { ODD: 'odd value', EMPTY: '', OTHER: 'something else' };
  expect(envSecrets(env, ['ODD', 'EMPTY'])).toEqual([{ name: 'ODD', value: 'odd value' }]);
});
