import { state as warnings } from '@aws-sdk/core/client';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { getProfileName, parseKnownFiles } from '@smithy/core/config';
import { UserError } from '../../../contract/errors.ts';
import { authorizedHttp } from '../authorized-http.ts';
import type { Cloud, CloudOptions } from '../cloud.ts';
import { asServerEvents } from './event-stream.ts';
import { refusedByAws, withErrorType } from './refusal.ts';
import { requestHandler } from './request-handler.ts';
import { type AwsCredentials, credentialError, signWith } from './sign.ts';

/** The API version in the body of requests to Claude. */
const CLAUDE_VERSION = 'bedrock-2023-05-31';

/** Used to sign requests to the user's own address, which may serve any region. */
const USUAL_REGION = 'us-east-1';

/** Claude takes Anthropic's own requests; other models, and those with an opaque ARN, take Bedrock's. */
export async function connectBedrock(options: CloudOptions): Promise<Cloud> {
  const { name, apiKey, http, settings, onSecret } = options;
  const { profile } = settings;
  const region = settings.region ?? (await profileRegion(profile)) ?? (options.baseUrl && USUAL_REGION);
  if (!region) {
    throw new UserError(
      'No AWS region for Amazon Bedrock.',
      'Set AWS_REGION or providers.bedrock.region, for example to us-east-1.',
    );
  }
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const baseUrl = (options.baseUrl || `https://bedrock-runtime.${region}.${domain}`).replace(/\/+$/, '');
  const urlOf = (model: string, action: string) => `${baseUrl}/model/${encodeURIComponent(model)}/${action}`;

  // It would print that a future version of the library needs a newer Node.
  warnings.warningEmitted = true;
  const chain = defaultProvider({
    ...(profile !== undefined && { profile }),
    clientConfig: { region, requestHandler: requestHandler(http) },
    // Without one, its warnings would appear in the middle of the screen.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  const credentials = async (refresh: boolean): Promise<AwsCredentials> => {
    try {
      const found = await chain(refresh ? { forceRefresh: true } : {});
      onSecret(found.secretAccessKey);
      if (found.sessionToken !== undefined) onSecret(found.sessionToken);
      return found;
    } catch (error) {
      throw credentialError(error, { provider: name, profile: profile ?? getProfileName({}) });
    }
  };
  if (apiKey !== undefined) onSecret(apiKey);
  const sign = signWith({ region, credentials });
  const send = authorizedHttp(http, {
    async authorize(request, refresh) {
      if (settings.unsigned) return request.headers ?? {};
      return apiKey === undefined
        ? sign(request, refresh)
        : { ...request.headers, authorization: `Bearer ${apiKey}` };
    },
    isExpired: ({ status, headers }) =>
      apiKey === undefined && status === 403 && /^ExpiredToken/.test(headers['x-amzn-errortype'] ?? ''),
  });

  return {
    baseUrl,
    madeOf: `the region ${region} (AWS_REGION)`,
    http: async (request) => withErrorType(asServerEvents(await send(request))),
    protocolOf: (model) => (/(^|\.)anthropic\.claude-/.test(model) ? 'anthropic' : 'bedrock-converse'),
    endpointOf: (protocol) => ({
      stream(model, body) {
        if (protocol !== 'anthropic') return { url: urlOf(model, 'converse-stream'), body };
        const { model: _, stream: __, ...rest } = body as Record<string, unknown>;
        const claude = { anthropic_version: CLAUDE_VERSION, ...rest };
        return { url: urlOf(model, 'invoke-with-response-stream'), body: claude };
      },
      refusal: refusedByAws({ region, profile }),
    }),
  };
}

function ignore(): void {
  // The library's messages are not for the user.
}

/** From the AWS configuration files. */
async function profileRegion(profile: string | undefined): Promise<string | undefined> {
  const profiles = await parseKnownFiles({});
  return profiles[profile ?? getProfileName({})]?.region;
}
