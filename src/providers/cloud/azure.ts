import { DefaultAzureCredential } from '@azure/identity';
import { ProviderError, UserError } from '../../contract/errors.ts';
import { errorMessageIn, labelIn } from '../errors/vendor-errors.ts';
import type { Refusal } from '../options.ts';
import { authorizedHttp } from './authorized-http.ts';
import { azureHttp } from './azure-http.ts';
import type { Cloud, CloudOptions } from './cloud.ts';
import { isNetworkError } from './network-error.ts';
import { type RefusalRow, refusedBy } from './refusal-rows.ts';

const SCOPE = 'https://cognitiveservices.azure.com/.default';
/** A token is renewed this long before it expires: a reply may take minutes. */
const EARLY_MS = 120_000;

/**
 * Models are deployments, under names that the user gave them. With an API version, their dated addresses are
 * used, else the v1 API.
 */
export async function connectAzure(options: CloudOptions): Promise<Cloud> {
  const { name, apiKey, http, settings, onSecret, protocol } = options;
  const endpoint = options.baseUrl.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '');
  if (endpoint === '') {
    throw new UserError(
      'No endpoint for Azure OpenAI.',
      'Set AZURE_OPENAI_ENDPOINT or providers.azure.baseUrl, for example to https://NAME.openai.azure.com.',
    );
  }
  const token = tokenSource(options);
  if (apiKey !== undefined) onSecret(apiKey);
  return {
    baseUrl: endpoint,
    madeOf: 'AZURE_OPENAI_ENDPOINT',
    http: authorizedHttp(http, {
      async authorize({ headers = {} }, refresh) {
        if (settings.unsigned) return headers;
        return apiKey === undefined
          ? { ...headers, authorization: `Bearer ${await token(refresh)}` }
          : { ...headers, 'api-key': apiKey };
      },
      isExpired: ({ status }) => apiKey === undefined && status === 401,
    }),
    protocolOf: () => protocol,
    endpointOf: (used) => ({
      // Dated versions may be older than the Responses API.
      stream: (model, body) =>
        addressOf({
          endpoint,
          model,
          body,
          protocol: used,
          version: used === protocol ? settings.apiVersion : 'v1',
        }),
      refusal: refusedByAzure({ name, endpoint, keyed: apiKey !== undefined }),
    }),
  };
}

type Asked = {
  endpoint: string;
  model: string;
  body: object;
  protocol: CloudOptions['protocol'];
  version: string | undefined;
};

function addressOf({ endpoint, model, body, protocol, version }: Asked) {
  const isChat = protocol === 'openai-chat';
  const action = isChat ? 'chat/completions' : 'responses';
  if (version === undefined || version === 'v1' || version === 'preview') {
    const query = version === 'preview' ? '?api-version=preview' : '';
    return { url: `${endpoint}/openai/v1/${action}${query}`, body };
  }
  const deployment = isChat ? `deployments/${encodeURIComponent(model)}/` : '';
  const url = `${endpoint}/openai/${deployment}${action}?api-version=${encodeURIComponent(version)}`;
  // Dated versions reject arguments that are newer than they are.
  const { prompt_cache_key: _, ...known } = body as Record<string, unknown>;
  return { url, body: isChat ? known : body };
}

/** A token of Microsoft Entra ID, from the environment, a managed identity or the Azure CLI. */
function tokenSource({ name, http, onSecret }: CloudOptions): (refresh: boolean) => Promise<string> {
  let credential: DefaultAzureCredential | undefined;
  let current: { token: string; expiresOnTimestamp: number } | undefined;
  return async (refresh) => {
    if (current && !refresh && current.expiresOnTimestamp - EARLY_MS > Date.now()) return current.token;
    try {
      credential ??= new DefaultAzureCredential({ httpClient: azureHttp(http) });
      current = await credential.getToken(SCOPE);
    } catch (error) {
      throw credentialError(error, name);
    }
    onSecret(current.token);
    return current.token;
  };
}

function credentialError(error: unknown, provider: string): unknown {
  if (isNetworkError(error)) return error;
  const said = error instanceof Error ? error.message : String(error);
  const [first = said] = said.split('\n');
  const code = /AADSTS\d+[^.]*\./.exec(said)?.[0];
  const message = code
    ? `Microsoft Entra ID refused to sign in: ${code}`
    : /CredentialUnavailable|ChainedTokenCredential|DefaultAzureCredential/i.test(
          `${(error as Error).name} ${said}`,
        )
      ? 'No Azure credentials found.'
      : `Could not get Azure credentials: ${first.replace(/[.\s]+$/, '')}.`;
  const nextStep = code
    ? 'Run `az login`, or check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET.'
    : 'Set AZURE_OPENAI_API_KEY, run `aca keys set azure`, or sign in with `az login`.';
  return new ProviderError(message, { kind: 'auth', provider, nextStep }, { cause: error });
}

type Place = { name: string; endpoint: string; keyed: boolean };

const rows: readonly RefusalRow<Place>[] = [
  {
    status: 401,
    kind: 'auth',
    next: ({ name, endpoint, keyed }) =>
      keyed
        ? `Azure OpenAI rejected the key for ${endpoint}. Run \`aca keys set ${name}\`, or update AZURE_OPENAI_API_KEY if it is set.`
        : 'Azure OpenAI rejected your login. Run `az login`, or set AZURE_OPENAI_API_KEY.',
  },
  {
    status: 403,
    says: /data action|principal|permission/i,
    kind: 'auth',
    next: () => 'Ask for the role Cognitive Services OpenAI User on this Azure OpenAI resource.',
  },
  {
    status: 403,
    says: /virtual network|firewall|public access/i,
    kind: 'auth',
    next: ({ endpoint }) =>
      `${endpoint} is reachable only from its own network. Connect to it, or ask its owner.`,
  },
  {
    status: 404,
    type: /DeploymentNotFound/,
    kind: 'model_not_found',
    next: ({ endpoint }) =>
      `Use the name of a deployment at ${endpoint}: --model azure/DEPLOYMENT. A new one needs a few minutes.`,
  },
  {
    status: 404,
    kind: 'model_not_found',
    next: () =>
      'Check AZURE_OPENAI_ENDPOINT and the API version (OPENAI_API_VERSION): Azure OpenAI knows no such address.',
  },
];

function refusedByAzure(place: Place): Refusal {
  return (status, body, provider) => {
    const message = errorMessageIn(body) ?? body;
    return refusedBy(rows, { status, type: labelIn(body), message, provider }, place);
  };
}
