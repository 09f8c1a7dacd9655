import { GoogleAuth } from 'google-auth-library';
import { ProviderError, UserError } from '../../contract/errors.ts';
import { errorMessageIn, labelIn } from '../errors/vendor-errors.ts';
import type { Refusal } from '../options.ts';
import { authorizedHttp } from './authorized-http.ts';
import type { Cloud, CloudOptions } from './cloud.ts';
import { fetchOver } from './fetch-over.ts';
import { isNetworkError } from './network-error.ts';
import { type RefusalRow, refusedBy } from './refusal-rows.ts';

/** The API version in the body of requests to Claude. */
const CLAUDE_VERSION = 'vertex-2023-10-16';
const LOGIN = '`gcloud auth application-default login`';

type Place = { project: string; region: string };

/** Gemini and Claude take their vendors' own requests; `publisher/model` is any other, over OpenAI's protocol. */
export async function connectVertex(options: CloudOptions): Promise<Cloud> {
  const { name, http, settings, onSecret } = options;
  const { region = 'global' } = settings;
  const auth = new GoogleAuth({
    scopes: 'https://www.googleapis.com/auth/cloud-platform',
    ...(settings.project !== undefined && { projectId: settings.project }),
    clientOptions: { transporterOptions: { fetchImplementation: fetchOver(http) } },
  });
  const project = settings.project ?? (await projectOf(auth, name));
  if (project === undefined) {
    throw new UserError(
      'No Google Cloud project for Vertex AI.',
      'Set GOOGLE_CLOUD_PROJECT or providers.vertex.project.',
    );
  }
  const root = (options.baseUrl || `https://${hostOf(region)}/v1`).replace(/\/+$/, '');
  const baseUrl = /\/v\d\w*$/.test(root) ? root : `${root}/v1`;
  const place = `${baseUrl}/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(region)}`;

  async function headers(url: string): Promise<Record<string, string>> {
    try {
      const client = await auth.getClient();
      const found = Object.fromEntries(await client.getRequestHeaders(url));
      onSecret((found.authorization ?? '').replace(/^Bearer /, ''));
      return found;
    } catch (error) {
      throw credentialError(error, name);
    }
  }
  return {
    baseUrl,
    madeOf: `the location ${region} (GOOGLE_CLOUD_LOCATION)`,
    http: authorizedHttp(http, {
      authorize: async (request) => ({
        ...request.headers,
        ...(settings.unsigned ? {} : await headers(request.url)),
      }),
      // The library renews its tokens before they expire.
      isExpired: () => false,
    }),
    protocolOf: (model) =>
      model.startsWith('claude-') ? 'anthropic' : model.includes('/') ? 'openai-chat' : 'google',
    endpointOf: (protocol) => ({
      ...(protocol === 'anthropic' ? claude : protocol === 'google' ? gemini : others)(place),
      refusal: refusedByVertex({ project, region }),
    }),
  };
}

/** The project of the credentials. */
async function projectOf(auth: GoogleAuth, provider: string): Promise<string | undefined> {
  try {
    // First, because the search for a project would open the same credentials without our options.
    await auth.getClient();
  } catch (error) {
    const problem = credentialError(error, provider);
    if (!(problem instanceof ProviderError)) throw error;
    throw new UserError(problem.message, problem.nextStep ?? '', { cause: error });
  }
  return auth.getProjectId().catch(() => undefined);
}

type Addresses = Pick<ReturnType<Cloud['endpointOf']>, 'stream' | 'count'>;

function gemini(place: string): Addresses {
  const urlOf = (model: string, action: string) =>
    `${place}/publishers/google/models/${encodeURIComponent(model)}:${action}`;
  return {
    stream: (model, body) => ({ url: `${urlOf(model, 'streamGenerateContent')}?alt=sse`, body }),
    count: (model, body) => ({ url: urlOf(model, 'countTokens'), body }),
  };
}

function claude(place: string): Addresses {
  const models = `${place}/publishers/anthropic/models`;
  return {
    stream(model, body) {
      const { model: _, ...rest } = body as Record<string, unknown>;
      const url = `${models}/${model.replaceAll(/[^\w.@-]/g, encodeURIComponent)}:streamRawPredict`;
      return { url, body: { anthropic_version: CLAUDE_VERSION, ...rest } };
    },
    count: (_, body) => ({
      url: `${models}/count-tokens:rawPredict`,
      body: { anthropic_version: CLAUDE_VERSION, ...body },
    }),
  };
}

function others(place: string): Addresses {
  return { stream: (_, body) => ({ url: `${place}/endpoints/openapi/chat/completions`, body }) };
}

function hostOf(region: string): string {
  if (region === 'global') return 'aiplatform.googleapis.com';
  return region === 'us' || region === 'eu'
    ? `aiplatform.${region}.rep.googleapis.com`
    : `${region}-aiplatform.googleapis.com`;
}

function credentialError(error: unknown, provider: string): unknown {
  if (isNetworkError(error)) return error;
  const said = error instanceof Error ? error.message.replace(/[.\s]+$/, '') : String(error);
  const isMissing = /could not load the default credentials/i.test(said);
  const message = isMissing
    ? 'No Google Cloud credentials found.'
    : `Could not get Google Cloud credentials: ${said}.`;
  const nextStep = isMissing
    ? `Run ${LOGIN}, or set GOOGLE_APPLICATION_CREDENTIALS to a service account's key file.`
    : /invalid_grant|invalid_rapt|reauth|expired/i.test(said)
      ? `Your Google Cloud login has expired. Run ${LOGIN}.`
      : `Check GOOGLE_APPLICATION_CREDENTIALS, or run ${LOGIN}.`;
  return new ProviderError(message, { kind: 'auth', provider, nextStep }, { cause: error });
}

const rows: readonly RefusalRow<Place>[] = [
  { status: 401, kind: 'auth', next: () => `Google Cloud did not accept your credentials. Run ${LOGIN}.` },
  {
    status: 403,
    says: /has not been used in project|is disabled|SERVICE_DISABLED/i,
    kind: 'auth',
    next: ({ project }) =>
      `Run \`gcloud services enable aiplatform.googleapis.com --project ${project}\`, then try again.`,
  },
  {
    status: 403,
    kind: 'auth',
    next: ({ project }) =>
      `Ask for the role Vertex AI User (roles/aiplatform.user) in the project ${project}, or choose another project with GOOGLE_CLOUD_PROJECT.`,
  },
  {
    status: 404,
    kind: 'model_not_found',
    next: ({ project, region }) =>
      `Vertex AI does not offer it to ${project} in ${region}. Enable the model in Model Garden, or choose another location with GOOGLE_CLOUD_LOCATION.`,
  },
  {
    status: 400,
    says: /location|region/i,
    kind: 'model_not_found',
    next: ({ region }) =>
      `Choose another location than ${region} with GOOGLE_CLOUD_LOCATION, such as global.`,
  },
];

function refusedByVertex(place: Place): Refusal {
  return (status, body, provider) => {
    const message = errorMessageIn(body) ?? body;
    return refusedBy(rows, { status, type: labelIn(body), message, provider }, place);
  };
}
