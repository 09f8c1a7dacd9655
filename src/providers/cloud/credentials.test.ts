import { createHash } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  AWS_KEYS,
  type CloudServer,
  type CloudServerOptions,
  PROJECT,
  REGION,
  startCloudServer,
  TOKEN,
} from '../../../test/support/cloud/cloud-server.ts';
import { hello, modelInfo, play } from '../../../test/support/loopback.ts';
import { says } from '../../../test/support/model-server/script.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { type HttpClient, httpClient } from '../../lib/network/http-client.ts';
import { createProvider } from '../index.ts';
import { findPreset } from '../presets.ts';

const EXPIRATION = '2099-01-01T00:00:00Z';
const temporary = { ...AWS_KEYS, sessionToken: 'session-token-0123456789' };
const assumed = {
  AccessKeyId: temporary.accessKeyId,
  SecretAccessKey: temporary.secretAccessKey,
  Token: temporary.sessionToken,
  Expiration: EXPIRATION,
  Code: 'Success',
};

/** What the clouds' libraries would find on the machine that runs the tests. */
const LEAKS = /^(AWS|AZURE|GOOGLE|GCLOUD|CLOUDSDK|IDENTITY|MSI|GCE)_/;

afterEach(() => vi.unstubAllEnvs());

type Row = {
  env?: Record<string, string>;
  files?: Record<string, string>;
  server?: CloudServerOptions;
  settings?: Record<string, string>;
};

/** All addresses but the server's own lead to the server, as if it were the whole internet. */
function routed({ url }: CloudServer): { http: HttpClient; urls: string[] } {
  const urls: string[] = [];
  const http: HttpClient = (request) => {
    urls.push(request.url);
    const { pathname, search } = new URL(request.url);
    return httpClient({ ...request, url: `${url}${pathname}${search}` });
  };
  return { http, urls };
}

type MakeRow = (url: string, home: string) => Row | Promise<Row>;

async function ask(name: string, model: string, make: MakeRow) {
  for (const variable of Object.keys(process.env)) if (LEAKS.test(variable)) vi.stubEnv(variable, undefined);
  const { root: home } = await workspace();
  const options: CloudServerOptions = {};
  const server = await startCloudServer([says('hello')], options);
  onTestFinished(() => server.close());
  const row = await make(server.url, home);
  Object.assign(options, row.server);
  for (const [file, text] of Object.entries(row.files ?? {})) {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), text);
    if (text.startsWith('#!')) await chmod(path.join(home, file), 0o755);
  }
  const env = {
    HOME: home,
    AWS_EC2_METADATA_DISABLED: 'true',
    METADATA_SERVER_DETECTION: 'none',
    ...row.env,
  };
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  const secrets: string[] = [];
  const { http, urls } = routed(server);
  const preset = findPreset(name);
  if (!preset) throw new Error(`no preset ${name}`);
  const provider = await createProvider(preset, {
    ...(name === 'azure' && { baseUrl: 'https://me.openai.azure.com' }),
    http,
    infoOf: () => modelInfo(),
    cloud: row.settings ?? {},
    onSecret: (value) => secrets.push(value),
  });
  const { events, error } = await play(provider, hello({ model }));
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
  return { text, error, secrets, urls, server };
}

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const profiles = `[default]\nregion = us-west-1\n[profile work]\nregion = ${REGION}\n`;
const keyFile = `[work]\naws_access_key_id = ${AWS_KEYS.accessKeyId}\naws_secret_access_key = ${AWS_KEYS.secretAccessKey}\n`;
const sso = `[profile work]\nregion = ${REGION}\nsso_session = corp\nsso_account_id = 1\nsso_role_name = dev\n[sso-session corp]\nsso_region = ${REGION}\nsso_start_url = https://corp.awsapps.com/start\n`;
const ssoCache = `.aws/sso/cache/${createHash('sha1').update('corp').digest('hex')}.json`;
const region = { region: REGION };

const aws: [string, MakeRow][] = [
  [
    'access keys in the environment',
    () => ({
      env: { AWS_ACCESS_KEY_ID: AWS_KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: AWS_KEYS.secretAccessKey },
      settings: region,
    }),
  ],
  [
    'a profile in the files, with its region',
    () => ({ files: { '.aws/config': profiles, '.aws/credentials': keyFile }, env: { AWS_PROFILE: 'work' } }),
  ],
  [
    'a profile of the settings',
    () => ({
      files: { '.aws/config': profiles, '.aws/credentials': keyFile },
      settings: { profile: 'work' },
    }),
  ],
  [
    'a login with SSO',
    () => ({
      files: {
        '.aws/config': sso,
        [ssoCache]: JSON.stringify({
          accessToken: 'sso-token',
          expiresAt: EXPIRATION,
          region: REGION,
          startUrl: 'https://corp.awsapps.com/start',
        }),
      },
      settings: { profile: 'work' },
      server: {
        keys: temporary,
        other: (request) =>
          request.url?.startsWith('/federation/credentials') &&
          request.headers['x-amz-sso_bearer_token'] === 'sso-token'
            ? { roleCredentials: { ...temporary, expiration: Date.parse(EXPIRATION) } }
            : null,
      },
    }),
  ],
  [
    'a web identity',
    (_, home) => ({
      files: { token: 'web-token' },
      env: {
        AWS_WEB_IDENTITY_TOKEN_FILE: path.join(home, 'token'),
        AWS_ROLE_ARN: 'arn:aws:iam::1:role/dev',
        AWS_REGION: REGION,
      },
      settings: region,
      server: {
        keys: temporary,
        other: (_request, body) => (body.includes('WebIdentityToken=web-token') ? stsAnswer() : null),
      },
    }),
  ],
  [
    'a program of the profile',
    () => ({
      files: {
        '.aws/config': `[profile work]\nregion = ${REGION}\ncredential_process = printf '{"Version":1,"AccessKeyId":"${AWS_KEYS.accessKeyId}","SecretAccessKey":"${AWS_KEYS.secretAccessKey}"}'\n`,
      },
      settings: { profile: 'work' },
    }),
  ],
  [
    'a container',
    (url) => ({
      env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` },
      settings: region,
      server: { keys: temporary, other: (request) => (request.url === '/container' ? assumed : null) },
    }),
  ],
  [
    'the metadata of an instance',
    (url) => ({
      env: { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: url },
      settings: region,
      server: { keys: temporary, other: metadata },
    }),
  ],
];

function metadata({ url = '' }: IncomingMessage): object | string | null {
  if (url === '/latest/api/token') return 'metadata-token';
  if (/\/security-credentials\/?$/.test(url)) return 'role';
  return url.endsWith('/role') ? assumed : null;
}

function stsAnswer(): string {
  const { accessKeyId, secretAccessKey, sessionToken } = temporary;
  return `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${EXPIRATION}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
}

describe('[V05] Amazon Bedrock is asked with a valid signature', () => {
  test.each(aws)('of %s, which counts as a secret', async (_, make) => {
    const { text, error, secrets, server } = await ask('bedrock', CLAUDE, make);
    expect([error, text]).toEqual([undefined, 'hello']);
    expect(server.paths).toEqual([
      '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream',
    ]);
    expect(secrets).toContain(AWS_KEYS.secretAccessKey);
  });

  test('at the address of its region', async () => {
    const { urls } = await ask('bedrock', CLAUDE, aws[0]?.[1] as MakeRow);
    expect(urls[0]).toMatch(/^https:\/\/bedrock-runtime\.eu-west-3\.amazonaws\.com\/model\//);
  });

  test('renewed once when it has expired', async () => {
    let asked = 0;
    const stale = { ...assumed, Token: 'an-older-session-token' };
    const { text, error } = await ask('bedrock', CLAUDE, (url) => ({
      env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` },
      settings: region,
      server: { keys: temporary, other: () => (asked++ === 0 ? stale : assumed) },
    }));
    expect([error, text, asked]).toEqual([undefined, 'hello', 2]);
  });
});

const loginUrl = 'https://login.microsoftonline.com';
const accessToken = { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 };

function entra({ url = '' }: IncomingMessage): object | null {
  if (url.includes('/discovery/instance'))
    return {
      tenant_discovery_endpoint: `${loginUrl}/t/v2.0/.well-known/openid-configuration`,
      metadata: [
        {
          preferred_network: 'login.microsoftonline.com',
          preferred_cache: 'login.windows.net',
          aliases: ['login.microsoftonline.com'],
        },
      ],
    };
  if (url.includes('openid-configuration'))
    return {
      issuer: `${loginUrl}/t/v2.0`,
      authorization_endpoint: `${loginUrl}/t/oauth2/v2.0/authorize`,
      token_endpoint: `${loginUrl}/t/oauth2/v2.0/token`,
      jwks_uri: `${loginUrl}/t/discovery/v2.0/keys`,
    };
  return url.includes('/token') ? { ...accessToken, expires_on: '4102444800' } : null;
}

const azLogin = `#!/bin/sh\nprintf '{"accessToken":"${TOKEN}","expiresOn":"2099-01-01 00:00:00.000000","expires_on":4070908800}'\n`;

describe('[V05] Azure OpenAI is asked with a token of Entra ID', () => {
  test.each([
    [
      'of a client secret',
      () => ({
        env: { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 'client-secret' },
        server: { other: entra },
      }),
    ],
    [
      'of a managed identity',
      (url: string) => ({
        env: { IDENTITY_ENDPOINT: `${url}/token`, IDENTITY_HEADER: 'h', AZURE_TOKEN_CREDENTIALS: 'prod' },
        server: { other: entra },
      }),
    ],
    [
      'of the Azure CLI',
      (_: string, home: string) => ({
        files: { 'bin/az': azLogin },
        env: { PATH: `${path.join(home, 'bin')}:${process.env.PATH}`, AZURE_TOKEN_CREDENTIALS: 'dev' },
      }),
    ],
  ] as [string, MakeRow][])('%s, which counts as a secret', async (_, make) => {
    const { text, error, secrets, server } = await ask('azure', 'my-gpt', make);
    expect([error, text]).toEqual([undefined, 'hello']);
    expect(server.paths).toEqual(['/openai/v1/chat/completions']);
    expect(server.bodies[0]).toMatchObject({ model: 'my-gpt' });
    expect(secrets).toEqual([TOKEN]);
  });
});

const serviceAccount = async () => {
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    type: 'service_account',
    project_id: PROJECT,
    client_email: 'me@my-project.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    private_key_id: 'k',
  });
};
const user = JSON.stringify({
  type: 'authorized_user',
  client_id: 'c',
  client_secret: 's',
  refresh_token: 'r',
  quota_project_id: 'payer',
});
const token = { other: ({ url = '' }: IncomingMessage) => (url.includes('token') ? accessToken : null) };

describe('[V05] Vertex AI is asked with a token', () => {
  test.each([
    [
      'of a user who logged in with gcloud',
      () => ({
        files: { '.config/gcloud/application_default_credentials.json': user },
        settings: { project: PROJECT },
        server: token,
      }),
    ],
    [
      'of a service account, in its own project',
      async (_: string, home: string) => ({
        files: { 'key.json': await serviceAccount() },
        env: { GOOGLE_APPLICATION_CREDENTIALS: path.join(home, 'key.json') },
        server: token,
      }),
    ],
    [
      'of the metadata server',
      (url: string) => ({
        env: { GCE_METADATA_HOST: url.replace('http://', ''), METADATA_SERVER_DETECTION: 'assume-present' },
        settings: { project: PROJECT },
        server: token,
      }),
    ],
  ] as [string, MakeRow][])('%s, which counts as a secret', async (_, make) => {
    const { text, error, secrets, server, urls } = await ask('vertex', 'claude-sonnet-4-5@20250929', make);
    expect([error, text]).toEqual([undefined, 'hello']);
    expect(server.paths).toEqual([
      `/v1/projects/${PROJECT}/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    ]);
    expect(urls.at(-1)).toMatch(/^https:\/\/aiplatform\.googleapis\.com\/v1\/projects\//);
    expect(secrets).toContain(TOKEN);
  });
});
