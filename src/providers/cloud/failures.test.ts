import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type CloudFailure,
  REGION,
  startCloudServer,
  TOKEN,
} from '../../../test/support/cloud/cloud-server.ts';
import { hello, modelInfo, play } from '../../../test/support/loopback.ts';
import { says } from '../../../test/support/model-server/script.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { ProviderError, ProviderErrorKind } from '../../contract/errors.ts';
import { nextStep } from '../errors/next-step.ts';
import { createProvider } from '../index.ts';
import { findPreset } from '../presets.ts';
import type { CloudSettings } from './cloud.ts';

afterEach(() => vi.unstubAllEnvs());

type Asked = { model: string; settings?: CloudSettings; apiKey?: string | null };

async function fail(
  name: string,
  failure: CloudFailure | null,
  { model, settings = {}, apiKey = TOKEN }: Asked,
) {
  for (const variable of Object.keys(process.env))
    if (/^(AWS|AZURE|GOOGLE|GCLOUD|IDENTITY|MSI)_/.test(variable)) vi.stubEnv(variable, undefined);
  const { root } = await workspace();
  vi.stubEnv('HOME', root);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  vi.stubEnv('AZURE_TOKEN_CREDENTIALS', 'EnvironmentCredential');
  const server = await startCloudServer([says('hello')], failure ? { failures: [failure] } : {});
  onTestFinished(() => server.close());
  const preset = findPreset(name);
  if (!preset) throw new Error(`no preset ${name}`);
  const provider = await createProvider(preset, {
    baseUrl: server.url,
    ...(apiKey !== null && { apiKey }),
    infoOf: () => modelInfo(),
    cloud: { region: REGION, project: 'my-project', ...settings },
  });
  const { error } = await play(provider, hello({ model }));
  const { kind, message } = error as ProviderError;
  return { kind, message, next: nextStep(error as ProviderError, model) };
}

test.each([
  ['bedrock', 'Check the region eu-west-9 (AWS_REGION), and your connection with `aca doctor`.'],
  ['vertex', 'Check the location eu-west-9 (GOOGLE_CLOUD_LOCATION), and your connection with `aca doctor`.'],
  ['azure', 'Check AZURE_OPENAI_ENDPOINT, and your connection with `aca doctor`.'],
])('%s at an address that does not exist', async (name, next) => {
  const preset = findPreset(name);
  if (!preset) throw new Error(`no preset ${name}`);
  const provider = await createProvider(preset, {
    ...(name === 'azure' && { baseUrl: 'https://nobody.openai.azure.com' }),
    apiKey: TOKEN,
    infoOf: () => modelInfo(),
    cloud: { region: 'eu-west-9', project: 'p', unsigned: true },
    http: () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })),
  });
  const { error } = await play(provider, hello());
  expect(error).toMatchObject({ kind: 'network', nextStep: next });
});

const CLAUDE = { model: 'eu.anthropic.claude-sonnet-5-5' };

describe('[V12] what AWS refuses is named, with the next step', () => {
  test.each<[string, number, string, string, ProviderErrorKind, RegExp]>([
    [
      'expired credentials',
      403,
      'ExpiredTokenException',
      'The security token included in the request is expired',
      'auth',
      /aws sso login/,
    ],
    [
      'unknown credentials',
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
      'auth',
      /get-caller-identity/,
    ],
    [
      'a wrong clock',
      403,
      'InvalidSignatureException',
      'Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z',
      'auth',
      /system clock/,
    ],
    [
      'a missing permission',
      403,
      'AccessDeniedException',
      'User: arn:aws:iam::1:user/me is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: x',
      'auth',
      /administrator/,
    ],
    [
      'a model that is not enabled',
      403,
      'AccessDeniedException',
      "You don't have access to the model with the specified model ID.",
      'model_not_found',
      /Model access, region eu-west-3/,
    ],
    [
      'a missing use case',
      404,
      'ResourceNotFoundException',
      'Model use case details have not been submitted for this account.',
      'model_not_found',
      /use case form/,
    ],
    [
      'a model without a profile',
      400,
      'ValidationException',
      'Invocation of model ID anthropic.claude-sonnet-5-5 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
      'model_not_found',
      /inference profile/,
    ],
    [
      'a wrong region',
      400,
      'ValidationException',
      'The provided model identifier is invalid.',
      'model_not_found',
      /AWS_REGION/,
    ],
    [
      'throttling',
      429,
      'ThrottlingException',
      'Too many requests, please wait before trying again.',
      'rate_limit',
      /Wait a minute/,
    ],
    [
      'a quota',
      400,
      'ServiceQuotaExceededException',
      'Your request exceeds the service quota for your account.',
      'quota',
      /billing page/,
    ],
    [
      'a model that is not ready',
      429,
      'ModelNotReadyException',
      'The model is not ready for inference.',
      'overloaded',
      /Try again/,
    ],
    [
      'a slow model',
      408,
      'ModelTimeoutException',
      'The request took too long to process.',
      'timeout',
      /did not answer/,
    ],
    ['a model that failed', 424, 'ModelErrorException', 'The model failed.', 'server_error', /Try again/],
    [
      'an outage',
      503,
      'ServiceUnavailableException',
      'The service is not available.',
      'overloaded',
      /Try again/,
    ],
    [
      'a long prompt',
      400,
      'ValidationException',
      'Input is too long for requested model.',
      'overflow',
      /new session/,
    ],
    [
      'a bad request',
      400,
      'ValidationException',
      'messages: at least one message is required',
      'bad_request',
      /did not accept/,
    ],
  ])('%s', async (_, status, type, message, kind, next) => {
    const failed = await fail('bedrock', { status, type, body: { message } }, CLAUDE);
    expect(failed).toEqual({ kind, message, next: expect.stringMatching(next) });
  });

  test('no credentials', async () => {
    expect(await fail('bedrock', null, { ...CLAUDE, apiKey: null })).toEqual({
      kind: 'auth',
      message: 'No AWS credentials found.',
      next: 'Run `aws sso login` or `aws configure`, set AWS_PROFILE, or set AWS_BEARER_TOKEN_BEDROCK to a Bedrock API key.',
    });
  });

  test('an unknown profile', async () => {
    const failed = await fail('bedrock', null, { ...CLAUDE, apiKey: null, settings: { profile: 'nobody' } });
    expect(failed).toMatchObject({ kind: 'auth', next: expect.stringContaining('nobody') });
  });

  test('no region', async () => {
    const { root } = await workspace();
    vi.stubEnv('HOME', root);
    for (const name of ['AWS_REGION', 'AWS_PROFILE', 'AWS_CONFIG_FILE']) vi.stubEnv(name, undefined);
    const preset = findPreset('bedrock');
    if (!preset) throw new Error('no preset');
    await expect(createProvider(preset, { infoOf: () => modelInfo() })).rejects.toMatchObject({
      name: 'UserError',
      message: 'No AWS region for Amazon Bedrock.',
      hint: expect.stringContaining('AWS_REGION'),
    });
  });
});

const GEMINI = { model: 'gemini-2.5-pro', settings: { unsigned: true } } as const;
const google = (code: number, status: string, message: string) => ({
  status: code,
  body: { error: { code, message, status } },
});

describe('[V12] what Vertex AI refuses is named, with the next step', () => {
  // Nothing signs these requests, so the cloud itself refuses them first.
  test('a rejected login', async () => {
    expect(await fail('vertex', null, GEMINI)).toMatchObject({
      kind: 'auth',
      next: expect.stringContaining('gcloud auth application-default login'),
    });
  });

  test('no credentials', async () => {
    expect(await fail('vertex', null, { model: 'gemini-2.5-pro' })).toEqual({
      kind: 'auth',
      message: 'No Google Cloud credentials found.',
      next: "Run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a service account's key file.",
    });
  });

  test.each<[string, CloudFailure, ProviderErrorKind, RegExp]>([
    [
      'a disabled API',
      google(
        403,
        'PERMISSION_DENIED',
        'Vertex AI API has not been used in project my-project before or it is disabled.',
      ),
      'auth',
      /gcloud services enable aiplatform.googleapis.com --project my-project/,
    ],
    [
      'a missing role',
      google(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource"),
      'auth',
      /roles\/aiplatform.user/,
    ],
    [
      'a model that is not enabled',
      google(
        404,
        'NOT_FOUND',
        'Publisher Model `projects/my-project/x` was not found or your project does not have access to it.',
      ),
      'model_not_found',
      /Model Garden/,
    ],
    [
      'a wrong location',
      google(400, 'FAILED_PRECONDITION', 'The model is not available in the location eu-west-3.'),
      'model_not_found',
      /GOOGLE_CLOUD_LOCATION/,
    ],
    [
      'throttling',
      google(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.'),
      'rate_limit',
      /Wait a minute/,
    ],
    [
      'an outage',
      google(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
      'overloaded',
      /Try again/,
    ],
  ])('%s', async (_, failure, kind, next) => {
    const failed = await fail('vertex', failure, { ...GEMINI, settings: { unsigned: true } });
    expect(failed).toMatchObject({ kind, next: expect.stringMatching(next) });
  });
});

const azure = (status: number, code: string, message: string) => ({
  status,
  body: { error: { code, message } },
});

describe('[V12] what Azure OpenAI refuses is named, with the next step', () => {
  test.each<[string, CloudFailure, ProviderErrorKind, RegExp]>([
    [
      'a rejected key',
      azure(401, '401', 'Access denied due to invalid subscription key or wrong API endpoint.'),
      'auth',
      /aca keys set azure/,
    ],
    [
      'a missing role',
      azure(403, 'PermissionDenied', 'The principal lacks the required data action'),
      'auth',
      /Cognitive Services OpenAI User/,
    ],
    [
      'a closed network',
      azure(403, 'AccessDenied', 'Access denied due to Virtual Network/Firewall rules.'),
      'auth',
      /its own network/,
    ],
    [
      'an unknown deployment',
      azure(404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.'),
      'model_not_found',
      /azure\/DEPLOYMENT/,
    ],
    ['a wrong API version', azure(404, '404', 'Resource not found'), 'model_not_found', /OPENAI_API_VERSION/],
    [
      'throttling',
      azure(429, '429', 'Requests have exceeded call rate limit. Please retry after 7 seconds.'),
      'rate_limit',
      /Wait a minute/,
    ],
    ['an outage', azure(503, '503', 'The service is temporarily unavailable.'), 'overloaded', /Try again/],
  ])('%s', async (_, failure, kind, next) => {
    const failed = await fail('azure', failure, { model: 'my-gpt' });
    expect(failed).toMatchObject({ kind, next: expect.stringMatching(next) });
  });

  test('no credentials', async () => {
    expect(await fail('azure', null, { model: 'my-gpt', apiKey: null })).toEqual({
      kind: 'auth',
      message: 'No Azure credentials found.',
      next: 'Set AZURE_OPENAI_API_KEY, run `aca keys set azure`, or sign in with `az login`.',
    });
  });

  test('no endpoint', async () => {
    const preset = findPreset('azure');
    if (!preset) throw new Error('no preset');
    await expect(createProvider(preset, { infoOf: () => modelInfo() })).rejects.toMatchObject({
      name: 'UserError',
      message: 'No endpoint for Azure OpenAI.',
    });
  });
});
