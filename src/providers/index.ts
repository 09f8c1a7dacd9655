import { UserError } from '../contract/errors.ts';
import type { Provider } from '../contract/provider.ts';
import type { ChatOptions } from './openai-chat-wire.ts';
import type { ProviderOptions } from './options.ts';
import type { Preset, Protocol } from './presets.ts';
import { type StallLimits, withStallLimit } from './stall.ts';
import type { TextFormat } from './text-tools-history.ts';

/** Each protocol brings its vendor's library, so none is loaded before it is used. */
const protocols: Record<Protocol, () => Promise<(options: ChatOptions) => Provider>> = {
  anthropic: async () => (await import('./anthropic.ts')).createAnthropic,
  google: async () => (await import('./google.ts')).createGoogle,
  ollama: async () => (await import('./ollama.ts')).createOllama,
  'openai-chat': async () => (await import('./openai-chat.ts')).createOpenAIChat,
  'openai-responses': async () => (await import('./openai-responses.ts')).createOpenAIResponses,
};

/** Models may think in silence for minutes; a local server may first have to load one, or to read a long prompt. */
const STALL: StallLimits = { firstMs: 300_000, betweenMs: 180_000 };
const STALL_LOCAL: StallLimits = { firstMs: 900_000, betweenMs: 300_000 };

export type CreateOptions = Omit<ProviderOptions, 'name' | 'baseUrl'> &
  Partial<Pick<ProviderOptions, 'baseUrl'>> & {
    /** How models call tools: by the protocol unless told, or in text. */
    toolMode?: 'native' | TextFormat;
    /** Longest silence, before the first word and between two; minutes unless told. */
    silenceMs?: number;
  };

/** The preset's vendor, ready to be asked; silence ends. Asking again is `withRetry`'s, around whatever counts calls. */
export async function createProvider(
  preset: Preset,
  { toolMode = 'native', silenceMs, ...options }: CreateOptions,
): Promise<Provider> {
  const baseUrl = options.baseUrl ?? preset.baseUrl;
  if (baseUrl === '') {
    const [variable] = preset.baseUrlEnv ?? [];
    throw new UserError(
      `No address for ${preset.name}.`,
      `Set ${variable ?? 'its base URL'}, for example to http://127.0.0.1:8080/v1.`,
    );
  }
  const create = await protocols[preset.protocol]();
  const { name, quirks, local } = preset;
  const vendor = create({ ...options, name, baseUrl, ...(quirks ? { quirks } : {}) });
  const told = silenceMs === undefined ? null : { firstMs: silenceMs, betweenMs: silenceMs };
  const provider = withStallLimit(vendor, told ?? (local ? STALL_LOCAL : STALL));
  if (toolMode === 'native') return provider;
  const { withTextTools } = await import('./text-tools.ts');
  return withTextTools(provider, { format: toolMode });
}
