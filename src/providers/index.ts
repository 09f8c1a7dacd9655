import { UserError } from '../contract/errors.ts';
import type { Provider } from '../contract/provider.ts';
import { httpClient } from '../lib/network/http-client.ts';
import type { CloudSettings } from './cloud/cloud.ts';
import { imageLimitsOf } from './image-limits.ts';
import type { ChatOptions } from './openai/chat-wire.ts';
import { openRouted } from './openai/responses-route.ts';
import type { ProviderOptions } from './options.ts';
import { baseUrlVariables, type Preset, type Protocol } from './presets.ts';
import type { ThinkMode } from './text-tools/thinking.ts';
import type { RequestFormat, RequestFormatOptions } from './wrappers/adapt.ts';
import { withImageLimits } from './wrappers/image-limits.ts';
import { type StallLimits, withStallLimit } from './wrappers/stall.ts';

/** Loaded on first use. */
const protocols: Record<Protocol, () => Promise<(options: ChatOptions) => Provider>> = {
  'bedrock-converse': async () => (await import('./converse/converse.ts')).createConverse,
  anthropic: async () => (await import('./anthropic/anthropic.ts')).createAnthropic,
  google: async () => (await import('./google/google.ts')).createGoogle,
  ollama: async () => (await import('./ollama/ollama.ts')).createOllama,
  'openai-chat': async () => (await import('./openai/chat.ts')).createOpenAIChat,
  'openai-responses': async () => (await import('./openai/responses.ts')).createOpenAIResponses,
};

/**
 * Models may think silently for minutes; a local server may first have to load one, or read a long prompt.
 */
const STALL: StallLimits = { firstMs: 300_000, betweenMs: 180_000 };
const STALL_LOCAL: StallLimits = { firstMs: 900_000, betweenMs: 300_000 };

export type CreateOptions = Omit<ProviderOptions, 'name' | 'baseUrl'> &
  Partial<Pick<ProviderOptions, 'baseUrl'>> &
  /** Model-specific settings; the protocol's defaults if absent. */
  Partial<RequestFormat> &
  Pick<RequestFormatOptions, 'onAdapt'> & {
    /** How thinking is embedded in the text, if known. */
    think?: ThinkMode;
    /** Longest silence before the first output and between two events; default: minutes. */
    silenceMs?: number;
    /** Region, project and the like, for a cloud. */
    cloud?: CloudSettings;
    /** Called with every credential that a cloud's own library finds. */
    onSecret?(value: string): void;
    /** Called when a local server is still loading the model, and is waited for. */
    onLoading?(): void;
  };

/**
 * The provider for a preset; a stalled stream times out. Retries are up to `withRetry`, which wraps whatever
 * counts calls.
 */
export async function createProvider(
  preset: Preset,
  {
    toolMode = 'native',
    resultRole,
    systemRole = true,
    onAdapt,
    think,
    silenceMs,
    onLoading,
    cloud,
    onSecret,
    ...options
  }: CreateOptions,
): Promise<Provider> {
  const baseUrl = options.baseUrl ?? preset.baseUrl;
  if (baseUrl === '' && !preset.cloud) {
    const [variable] = baseUrlVariables(preset);
    throw new UserError(
      `No base URL for ${preset.name}.`,
      `Set ${variable ?? 'its base URL'}, for example to http://127.0.0.1:8080/v1.`,
    );
  }
  if (preset.protocol === 'embedded') throw new Error('Embedded models do not use a network protocol.');
  const { name, local, protocol } = preset;
  const quirks = { ...preset.quirks, ...(think && { think }) };
  const load = (wanted: Protocol) => protocols[wanted]();
  const reached = { ...options, name, baseUrl, quirks };
  const vendor = preset.cloud
    ? await (await import('./cloud/cloud.ts')).createCloud(
        { ...preset, cloud: preset.cloud, protocol },
        { http: httpClient, ...reached, settings: cloud ?? {}, load, ...(onSecret && { onSecret }) },
      )
    : await openRouted(protocol, { ...preset, open: async (wanted) => (await load(wanted))(reached) });
  const stallLimits = silenceMs === undefined ? null : { firstMs: silenceMs, betweenMs: silenceMs };
  const awake = withStallLimit(vendor, stallLimits ?? (local ? STALL_LOCAL : STALL));
  const provider = withImageLimits(awake, imageLimitsOf(preset));
  if (toolMode === 'native' && !local) return provider;
  const format: RequestFormat = {
    toolMode,
    resultRole: resultRole ?? (toolMode === 'native' ? 'tool' : 'user'),
    systemRole,
  };
  const [{ withRequestFormat }, { withLoadingWait }] = await Promise.all([
    import('./wrappers/adapt.ts'),
    import('./wrappers/loading.ts'),
  ]);
  const ready = local ? withLoadingWait(provider, onLoading ? { onWait: onLoading } : {}) : provider;
  return withRequestFormat(ready, { ...format, ...(onAdapt && { onAdapt }) });
}
