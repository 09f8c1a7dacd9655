import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import type { ChatOptions } from '../openai/chat-wire.ts';
import { openRouted } from '../openai/responses-route.ts';
import type { Endpoint } from '../options.ts';
import type { CloudName, Preset, Protocol } from '../presets.ts';

/** What a user may set for a cloud, from settings and environment variables. */
export type CloudSettings = {
  /** AWS region, or Google Cloud location. */
  region?: string;
  /** AWS profile. */
  profile?: string;
  /** Google Cloud project. */
  project?: string;
  /** Version of the Azure OpenAI API. */
  apiVersion?: string;
  /** A gateway at the base URL adds the credentials. */
  unsigned?: true;
};

export type CloudOptions = {
  name: string;
  /** The user's own address, or empty. */
  baseUrl: string;
  apiKey?: string;
  http: HttpClient;
  settings: CloudSettings;
  protocol: Protocol;
  /** Called with every credential that is about to be sent. */
  onSecret(value: string): void;
};

/** One cloud that can be asked. */
export type Cloud = {
  baseUrl: string;
  /** What the address was made of, to be checked if there is no such host. */
  madeOf: string;
  /** Adds credentials. */
  http: HttpClient;
  protocolOf(model: string): Protocol;
  endpointOf(protocol: Protocol): Omit<Endpoint, 'secrets'>;
};

/** Loaded on first use: each brings the vendor's library for credentials. */
const clouds: Record<CloudName, () => Promise<(options: CloudOptions) => Promise<Cloud>>> = {
  aws: async () => (await import('./aws/bedrock.ts')).connectBedrock,
  google: async () => (await import('./vertex.ts')).connectVertex,
  azure: async () => (await import('./azure.ts')).connectAzure,
};

export type CreateCloudOptions = ChatOptions & {
  http: HttpClient;
  settings: CloudSettings;
  onSecret?(value: string): void;
  /** The function that creates providers of a protocol. */
  load(protocol: Protocol): Promise<(options: ChatOptions) => Provider>;
};

/** A provider whose protocol depends on the model of each request. */
export async function createCloud(
  preset: Preset & { cloud: CloudName; protocol: Protocol },
  { settings, load, onSecret, apiKey, ...options }: CreateCloudOptions,
): Promise<Provider> {
  const sent = new Set<string>();
  const connect = await clouds[preset.cloud]();
  const cloud = await connect({
    ...options,
    ...(apiKey !== undefined && { apiKey }),
    settings,
    protocol: preset.protocol,
    onSecret(value) {
      sent.add(value);
      onSecret?.(value);
    },
  });
  const providers = new Map<Protocol, Promise<Provider>>();

  async function open(protocol: Protocol): Promise<Provider> {
    const create = await load(protocol);
    const endpoint = { ...cloud.endpointOf(protocol), secrets: () => [...sent] };
    const http: HttpClient = (request) =>
      cloud.http(request).catch((error: unknown) => {
        throw withPlace(error, cloud, options.name);
      });
    return create({ ...options, baseUrl: cloud.baseUrl, http, endpoint });
  }
  function providerFor({ model }: CompletionRequest): Promise<Provider> {
    const protocol = cloud.protocolOf(model);
    const found = providers.get(protocol) ?? openRouted(protocol, { ...preset, open });
    providers.set(protocol, found);
    return found;
  }
  return {
    name: options.name,
    async *stream(request, signal) {
      yield* (await providerFor(request)).stream(request, signal);
    },
    countTokens: async (request, signal) => (await providerFor(request)).countTokens(request, signal),
  };
}

/** A region or resource that does not exist has no address. */
function withPlace(error: unknown, { baseUrl, madeOf }: Cloud, provider: string): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENOTFOUND') return error;
  return new ProviderError(
    `Could not find ${new URL(baseUrl).host} (ENOTFOUND).`,
    { kind: 'network', provider, nextStep: `Check ${madeOf}, and your connection with \`aca doctor\`.` },
    { cause: error },
  );
}
