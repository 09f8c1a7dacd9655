import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../test/support/seeded-bytes.ts';
import { sweep } from '../../test/support/soak.ts';
import { createFirewall } from './firewall.ts';

const bytes = seededBytes('named values');

const wall = () => createFirewall({ secrets: [], key: () => 'k' });

/** Generated at test time. */
const values: Record<string, string> = {
  hex: bytes(20).toString('hex'),
  base64: `7${bytes(30).toString('base64url').replaceAll(/[_-]/g, 'x')}`,
  uuid: crypto.randomUUID(),
  password: `s3cr3t-${bytes(3).toString('hex')}!`,
  short: `q8w7e6r5t${bytes(1).toString('hex')}`,
};

const fields = [
  'client_secret',
  'clientSecret',
  'ClientSecret',
  'CLIENT_SECRET',
  'refresh_token',
  'refreshToken',
  'access_token',
  'accessToken',
  'id_token',
  'auth_token',
  'authToken',
  '_authToken',
  'api_key',
  'apiKey',
  'API_KEY',
  'apikey',
  'api-key',
  'X-Api-Key',
  'secret_key',
  'secretKey',
  'SecretAccessKey',
  'aws_secret_access_key',
  'AWS_SECRET_ACCESS_KEY',
  'SessionToken',
  'aws_session_token',
  'private_key',
  'privateKey',
  'account_key',
  'AccountKey',
  'SharedAccessKey',
  'password',
  'Password',
  'PASSWORD',
  'db_password',
  'DB_PASSWORD',
  'dbPassword',
  'spring.datasource.password',
  'POSTGRES_PASSWORD',
  'MYSQL_ROOT_PASSWORD',
  'PGPASSWORD',
  'passwd',
  'passphrase',
  'webhook_secret',
  'signing_secret',
  'JWT_SECRET',
  'jwtSecret',
  'bot_token',
  'SLACK_BOT_TOKEN',
  'MISTRAL_API_KEY',
  'COHERE_API_KEY',
  'DD_API_KEY',
  'DATADOG_APP_KEY',
  'HEROKU_API_KEY',
  'TWILIO_AUTH_TOKEN',
  'consumer_secret',
  'encryption_key',
  'ENCRYPTION_KEY',
  'MASTER_KEY',
  'client-key-data',
  'storage_account_key',
  'subscription_key',
  'deploy_token',
  'GITHUB_TOKEN',
  'npm_token',
  'oauth_token',
  'app_secret',
  'azure_client_secret',
  'admin_password',
  'masterUserPassword',
  'license_key',
];

const dialects: [dialect: string, write: (name: string, value: string) => string][] = [
  ['JSON', (name, value) => JSON.stringify({ type: 'x', [name]: value, other: 1 })],
  ['JSON over lines', (name, value) => JSON.stringify({ a: 1, [name]: value }, null, 2)],
  ['JSON, value on the next line', (name, value) => `{\n  "${name}":\n    "${value}"\n}`],
  ['JSON in JSON', (name, value) => JSON.stringify({ body: JSON.stringify({ [name]: value }) })],
  [
    'JSON in JSON in JSON',
    (name, value) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: value }) }) }),
  ],
  ['JSON, named beside', (name, value) => JSON.stringify({ env: [{ name, value }] })],
  ['JSON, named beside, over lines', (name, value) => JSON.stringify([{ name, value }], null, 2)],
  [
    'JSON, the value inside',
    (name, value) => JSON.stringify({ outputs: { [name]: { value, type: 'string' } } }, null, 2),
  ],
  ['JSON, AWS tags', (name, value) => JSON.stringify([{ Key: name, Value: value }])],
  ['YAML', (name, value) => `a: 1\n${name}: ${value}\nb: 2\n`],
  ['YAML, indented', (name, value) => `a:\n  b:\n    ${name}: ${value}\n`],
  ['YAML, quoted', (name, value) => `${name}: "${value}"  # note\n`],
  ['YAML, single quotes', (name, value) => `- ${name}: '${value}'\n`],
  ['YAML, block', (name, value) => `${name}: |\n  ${value}\n`],
  ['YAML, folded', (name, value) => `${name}: >-\n  ${value}\n`],
  ['YAML, named beside', (name, value) => `env:\n  - name: ${name}\n    value: ${value}\n`],
  ['YAML, named beside, quoted', (name, value) => `- name: ${name}\n  value: "${value}"\n`],
  ['TOML', (name, value) => `[x]\n${name} = "${value}"\n`],
  ['INI', (name, value) => `[default]\n${name} = ${value}\n`],
  ['INI, no blanks', (name, value) => `[default]\n${name}=${value}\nother=1\n`],
  ['properties', (name, value) => `a.b=1\n${name}=${value}\n`],
  ['dotenv', (name, value) => `PORT=3000\n${name}=${value}\n`],
  ['dotenv, quoted', (name, value) => `${name}="${value}"\n`],
  ['dotenv, CRLF', (name, value) => `A=1\r\n${name}=${value}\r\nB=2\r\n`],
  ['exported', (name, value) => `export ${name}='${value}'\n`],
  ['numbered by Read', (name, value) => `     1\tA=1\n     2\t${name}=${value}\n`],
  ['a patch', (name, value) => `@@ -1 +1 @@\n-${name}=${value}\n+${name}=x\n`],
  ['added by a patch', (name, value) => `+${name}=${value}\n`],
  ['a patch of YAML', (name, value) => `+  ${name}: ${value}\n`],
  ['XML', (name, value) => `<c><${name}>${value}</${name}></c>`],
  ['XML, attributes', (name, value) => `<add key="${name}" value="${value}" />`],
  ['XML, attribute', (name, value) => `<login ${name}="${value}"/>`],
  ['property list', (name, value) => `<key>${name}</key>\n\t<string>${value}</string>`],
  ['HCL', (name, value) => `resource "x" "y" {\n  ${name} = "${value}"\n}`],
  ['HCL variable', (name, value) => `variable "${name}" {\n  default = "${value}"\n}`],
  ['connection string', (name, value) => `Server=db;User=me;${name}=${value};Encrypt=true`],
  ['TypeScript', (name, value) => `const config = { ${JSON.stringify(name)}: '${value}' };`],
  ['Python', (name, value) => `config['${name}'] = "${value}"`],
  ['PHP', (name, value) => `'${name}' => '${value}',`],
  ['Go', (name, value) => `x := map[string]string{"${name}": "${value}"}`],
  ['URL', (name, value) => `https://example.org/cb?a=1&${name}=${encodeURIComponent(value)}&b=2`],
  ['header', (name, value) => `${name}: ${value}\nAccept: */*\n`],
  ['flag', (name, value) => `tool --${name.replaceAll(/[._]/g, '-').replace(/^-+/, '')}=${value} run`],
  [
    'flag with a blank',
    (name, value) => `tool --${name.replaceAll(/[._]/g, '-').replace(/^-+/, '')} ${value} run`,
  ],
];

describe.each(dialects)('%s', (dialect, write) => {
  sweep(fields, 8)('%s', (name) => {
    const firewall = wall();
    for (const [kind, value] of Object.entries(values)) {
      const text = write(name, value);
      const hidden = firewall.hide(text);
      const spelled = dialect === 'URL' ? encodeURIComponent(value) : value;
      expect(hidden.includes(spelled), `${kind}: ${hidden}`).toBe(false);
      expect(firewall.restore(hidden)).toBe(text);
      // The structure stays readable.
      expect(hidden.replace(/\[secret:[\w.-]+:[0-9a-f]{8}\]/, () => spelled)).toBe(text);
    }
  });
});

test.each([
  'const token = getToken();',
  'const token = await readToken(file);',
  'password: string;',
  'password?: string | undefined',
  'client_secret: process.env.CLIENT_SECRET,',
  'const apiKey = process.env["API_KEY"] ?? "";',
  'api_key = os.environ["API_KEY"]',
  'api_key = os.getenv("OPENAI_API_KEY")',
  'password = $' + '{DB_PASSWORD}',
  'password: $' + '{{ secrets.DB_PASSWORD }}',
  'TOKEN=$TOKEN',
  'TOKEN="$' + '(cat file)"',
  'API_KEY=your-key-here',
  'API_KEY=<secret>',
  'password: changeme',
  'password: "changeme"',
  'PASSWORD=postgres',
  'api_key: YOUR_API_KEY',
  'token: xxxxxxxxxxxxxxxx',
  'secret: ****************',
  'password = "password"',
  'password: "Enter your password"',
  '"forgotPassword": "Passwort vergessen?"',
  '"password": "Passwort"',
  '"token_type": "Bearer"',
  '"token_uri": "https://oauth2.example/token"',
  'tokens: 128000',
  'max_tokens: 4096,',
  'maxTokens = 100_000',
  '"total_tokens": 12345678',
  'nextPageToken: "CAUQAA123abcDEF456ghi"',
  'tokenizer: new Tokenizer2(),',
  'import { token } from "./tokens.ts";',
  'this.password = password;',
  'user.password = hash2(password)',
  'if (token === "end-of-file") return;',
  'token: "keyword.operator.assignment"',
  'secretName: db-credentials',
  'secretKeyRef: { name: db, key: password }',
  'key: "user.profile.title"',
  'const key = `$' + '{name}-$' + '{id}`;',
  'primaryKey: "user_id2"',
  'publicKey: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEabc1"',
  'sortKey: createdAt1',
  'cacheKey: "9f86d081884c7d659a2feaa0c55ad015"',
  '<input type="password" name="password2" id="password-field1">',
  '<label for="password">Password</label>',
  'type Password = Brand<string, "Password">;',
  'function auth(token: Token1, secret: Buffer): Promise<void> {',
  'password: z.string().min(8)',
  'expect(token).toBe(undefined)',
  'keyboard: "qwerty-us-1"',
  'author: "Jane Doe 1970"',
  'authority: "https://login.example"',
  'monkey: banana12345',
  'passed: 12345678',
  'compass: north-west1',
  'bypass = true',
  'secretary: "Jane-Doe-1"',
  'credentials: "include"',
  'credentials: "same-origin"',
  'auth: { type: "oauth2" }',
  'auth = OAuth2Session(client)',
  'Authorization: Bearer <token>',
  'password_hash = bcrypt.hash(pw)',
  'token := strings.Split(s, "=")[1]',
  'var token = json["access_token"].string',
  'arn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf',
  'secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:x',
  'password: !vault |',
  'password: ENC[AES256_GCM,data:abc123,iv:def456,type:str]',
  'password: "{{ vault_password }}"',
  'password: op://vault/item1/password',
  'token: /var/run/secrets/token1',
  'TOKEN_FILE=/run/secrets/token1',
  'password=%s',
  'password=%(password)s',
  '/password=([^&]+)/',
  'token=[\\w-]+',
  'password: test1234',
  'password: "secret123"',
  'PASSWORD=admin123',
  'const secret = "test-secret-1";',
  'token: "fake-token-123"',
  'apiKey: "dummy-key-1"',
  'Password must have 8 characters, one digit and one symbol.',
  'The token: a short-lived value that proves who you are.',
  'key = key1',
  'keys: Object.keys(secret1)',
  '"devDependencies": { "jsonwebtoken": "^9.0.2" }',
  'csrfToken: generateCsrfToken2()',
  'tokenLimit: 200000',
  'passwordMinLength: 12345678',
  'token.type === 5',
  'secretsmanager.getSecretValue({ SecretId: "prod-db-1" })',
  'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '"integrity": "sha512-abc123def456ghi789jkl012mno345pqr678"',
])('is not a secret: %s', (text) => {
  const firewall = wall();
  for (const around of [text, `  ${text}\n`, `// x\n${text}\n// y`, `12\t${text}`, `+${text}`])
    expect(firewall.hide(around)).toBe(around);
});

sweep([400, 2000])('any text is restored exactly (%i runs)', (numRuns) => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'password',
      'token=',
      '"client_secret": "',
      '\\"',
      '"',
      "'",
      '\n',
      '\\n',
      ': ',
      ' = ',
      '-----BEGIN PRIVATE KEY-----',
      'kind: Secret\ndata:\n  a: ',
      '"kty"',
      '{',
      '}',
      'sk-',
      'AKIA',
      'eyJ',
      '://a:',
      '@',
      '[secret:',
      '|\n  ',
    ),
    fc.stringMatching(/^[A-Za-z\d]{8,40}$/),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('');
      const firewall = wall();
      const hidden = firewall.hide(text);
      expect(firewall.restore(hidden)).toBe(text);
      expect(firewall.hide(hidden)).toBe(hidden);
    }),
    { numRuns },
  );
});

test('a value recognized by its name is also hidden on its own, in any encoding', () => {
  const [value] = [bytes(20).toString('hex')];
  const firewall = wall();
  firewall.learn(JSON.stringify({ client_secret: value }));
  for (const text of [
    value,
    Buffer.from(value).toString('base64'),
    [...value].reverse().join(''),
    encodeURIComponent(value),
  ])
    expect(firewall.hide(`x ${text} y`)).not.toContain(text.slice(4, -6));
});
